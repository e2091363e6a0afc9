//! Tests of this room against real servers on loopback.
