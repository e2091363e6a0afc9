//! The TCP door: nothing but a health check before the proof, and nothing that another could use again.

use super::super::handshake::{self, Exchange, Nonce, Role};
use super::*;

/// Says hello, and gives back what both sides now know, and the server's proof.
async fn hello(raw: &mut Raw, port: u16) -> (Exchange, String) {
    let client = Nonce::random().unwrap();
    raw.send(&handshake::hello(client)).await;
    let proof = raw.form().await;
    let server = Nonce::from_hex(proof.text_at("payload.nonce").unwrap()).unwrap();
    (
        Exchange { port, client, server },
        proof.text_at("payload.mac").unwrap().to_owned(),
    )
}

over_sockets! {
    async fn both_sides_prove_the_token_and_then_talk() {
        let daemon = daemon(wire()).await;
        let mut client = Client::connect_tcp(daemon.port, &daemon.token()).await.unwrap();
        client.send(&input("hi")).await.unwrap();
        let reply = client.next().await.unwrap().unwrap();
        assert_eq!(reply.text_at("payload.text"), Some("hi"));
        assert_eq!(reply.text_at("meta.session-id").unwrap(), client.announced.unwrap().to_string());
        assert!(daemon.echo.events.lock().unwrap()[0].0.may_approve());
    }

    async fn our_client_falls_back_to_tcp_where_there_is_no_socket() {
        let daemon = daemon(wire()).await;
        std::fs::remove_file(daemon.socket()).unwrap();
        let client = Client::connect(daemon.state.path()).await.unwrap();
        assert!(client.announced.is_some());
    }

    async fn before_the_proof_only_a_health_check_is_answered() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.tcp().await;
        raw.send(&input("hi")).await;
        raw.error("proof-needed").await;
        raw.say("(:TYPE :REQUEST :PAYLOAD (:ACTION :STATUS))").await;
        raw.error("proof-needed").await;
        raw.is_open().await;
        assert!(daemon.echo.events.lock().unwrap().is_empty());
        raw.write("001001").await;
        raw.closed_with("frame-too-long").await;
    }

    async fn a_proof_that_does_not_come_ends_the_connection_though_health_checks_do() {
        let daemon = daemon(WireConfig { frame_timeout: Duration::from_secs(1), ..wire() }).await;
        let mut raw = daemon.tcp().await;
        raw.is_open().await;
        raw.closed_with("timeout").await;
    }

    async fn a_wrong_token_proves_nothing_to_either_side() {
        let daemon = daemon(wire()).await;
        let other = Token::random().unwrap();
        assert!(matches!(Client::connect_tcp(daemon.port, &other).await, Err(ClientError::Impostor { .. })));
        let mut raw = daemon.tcp().await;
        let (exchange, proof) = hello(&mut raw, daemon.port).await;
        assert!(exchange.check(&daemon.token(), Role::Server, &proof));
        raw.send(&handshake::client_proof(exchange.proof(&other, Role::Client))).await;
        raw.closed_with("proof-failed").await;
    }

    async fn a_proof_for_another_port_proves_nothing() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.tcp().await;
        let (exchange, proof) = hello(&mut raw, daemon.port + 1).await;
        assert!(!exchange.check(&daemon.token(), Role::Server, &proof));
        raw.send(&handshake::client_proof(exchange.proof(&daemon.token(), Role::Client))).await;
        raw.closed_with("proof-failed").await;
    }

    async fn the_servers_own_proof_sent_back_proves_nothing() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.tcp().await;
        let (_, proof) = hello(&mut raw, daemon.port).await;
        raw.send(&handshake::client_proof(proof)).await;
        raw.closed_with("proof-failed").await;
    }

    async fn a_proof_that_was_good_once_is_worth_nothing_on_another_connection() {
        let daemon = daemon(wire()).await;
        let mut first = daemon.tcp().await;
        let (exchange, _) = hello(&mut first, daemon.port).await;
        let good = exchange.proof(&daemon.token(), Role::Client);
        first.send(&handshake::client_proof(good.clone())).await;
        assert!(first.form().await.at("payload.action").unwrap().is_kw("READY"));
        let mut second = daemon.tcp().await;
        second.send(&handshake::hello(exchange.client)).await;
        let answer = second.form().await;
        assert_ne!(answer.text_at("payload.nonce"), Some(exchange.server.to_hex().as_str()));
        second.send(&handshake::client_proof(good)).await;
        second.closed_with("proof-failed").await;
        first.is_open().await;
    }

    async fn a_proof_without_a_hello_and_a_second_hello_are_refused() {
        let daemon = daemon(wire()).await;
        let mut raw = daemon.tcp().await;
        raw.say("(:TYPE :EVENT :PAYLOAD (:ACTION :HELLO :NONCE \"12\"))").await;
        assert_eq!(raw.error("bad-field").await.0, ":PAYLOAD :NONCE");
        hello(&mut raw, daemon.port).await;
        raw.send(&handshake::hello(Nonce::random().unwrap())).await;
        raw.error("no-proof-here").await;
        let mut raw = daemon.tcp().await;
        raw.send(&handshake::client_proof("00".repeat(32))).await;
        raw.closed_with("proof-failed").await;
        let mut raw = daemon.unix().await;
        raw.send(&handshake::hello(Nonce::random().unwrap())).await;
        raw.error("no-proof-here").await;
        raw.is_open().await;
    }

    async fn without_proof_a_client_has_a_session_of_its_own_and_no_rights_over_others() {
        let daemon = daemon(WireConfig { tcp_auth: TcpAuth::None, ..wire() }).await;
        let mut operator = daemon.unix().await;
        let session = operator.chat("mine").await.text_at("meta.session-id").unwrap().to_owned();
        let mut raw = daemon.tcp().await;
        raw.say(&format!("(:TYPE :EVENT :META (:SESSION-ID \"{session}\") :PAYLOAD (:SENSOR :USER-INPUT :TEXT \"x\"))")).await;
        assert_eq!(raw.error("not-the-operator").await.0, ":META :SESSION-ID");
        for request in [":STATUS", ":APPROVE :PLAN \"1\"", ":DENY :PLAN \"1\"", ":PLANS", ":SESSIONS", ":TRACE", ":EXPLAIN :ID \"1\""] {
            raw.say(&format!("(:TYPE :REQUEST :PAYLOAD (:ACTION {request}))")).await;
            assert_eq!(raw.error("not-the-operator").await.0, ":PAYLOAD :ACTION");
        }
        raw.say(&format!("(:TYPE :REQUEST :META (:SESSION-ID \"{session}\") :PAYLOAD (:ACTION :STOP))")).await;
        raw.error("not-the-operator").await;
        let reply = raw.chat("hi").await;
        assert_ne!(reply.text_at("meta.session-id"), Some(session.as_str()));
        assert!(!daemon.echo.events.lock().unwrap()[1].0.may_approve());
        operator.is_open().await;
    }

    async fn where_no_proof_is_needed_one_may_still_be_given() {
        let daemon = daemon(WireConfig { tcp_auth: TcpAuth::None, ..wire() }).await;
        let mut client = Client::connect_tcp(daemon.port, &daemon.token()).await.unwrap();
        client.send(&input("hi")).await.unwrap();
        client.next().await.unwrap();
        assert!(daemon.echo.events.lock().unwrap()[0].0.may_approve());
    }

    async fn what_listens_on_the_port_of_a_dead_daemon_learns_nothing() {
        let daemon = daemon(wire()).await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let impostor = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let greeting = plist!("TYPE" => kw("EVENT"), "PAYLOAD" => plist!("ACTION" => kw("HANDSHAKE")));
            stream.write_all(&encode(&greeting).unwrap()).await.unwrap();
            let fake = handshake::server_proof(Nonce::random().unwrap(), "00".repeat(32));
            stream.write_all(&encode(&fake).unwrap()).await.unwrap();
            let mut heard = String::new();
            stream.read_to_string(&mut heard).await.unwrap();
            heard
        });
        let failed = Client::connect_tcp(port, &daemon.token()).await;
        assert!(matches!(failed, Err(ClientError::Impostor { .. })));
        drop(failed);
        let heard = impostor.await.unwrap();
        assert!(heard.contains(":HELLO") && !heard.contains(":MAC"), "{heard}");
    }
}
