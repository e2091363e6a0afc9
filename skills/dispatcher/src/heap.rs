//! Memory for the component. A gate is short and makes many small texts, for which the usual allocator takes a fifth of
//! the time. This one keeps what is given back by size, for the next of that size; sizes are powers of two. It joins
//! nothing and gives nothing back to the host, so that it comes to at most what was in use of each size at once.
#![allow(unsafe_code, reason = "an allocator hands out addresses")]

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::ptr::{self, NonNull};

/// The smallest block, in bytes: it holds the address of the next one that is free.
const SMALLEST: usize = 2 * size_of::<usize>();
/// What every block is aligned to, in bytes, unless it is smaller. Nothing that is stored here wants more.
const ALIGNED: usize = 16;
/// How many sizes there are, from the smallest one on, each twice the one before.
const SIZES: usize = 24;
/// The least that is asked of the host at once, in bytes.
const STEP: usize = 256 << 10;

/// Where memory comes from: so many bytes more, from the address that comes back on. `None` if there are no more.
type Source = fn(usize) -> Option<usize>;

/// The allocator.
#[derive(Debug)]
pub(crate) struct Heap {
    state: UnsafeCell<State>,
    source: Source,
}

#[derive(Debug)]
struct State {
    /// The first free block of each size.
    free: [Option<NonNull<Free>>; SIZES],
    /// What was not handed out yet: from here,
    next: usize,
    /// to here.
    end: usize,
}

/// A free block.
#[derive(Debug)]
struct Free {
    next: Option<NonNull<Free>>,
}

// SAFETY: a component has one thread, and no method of the heap calls another one while it uses the state.
unsafe impl Sync for Heap {}

impl Heap {
    pub(crate) const fn new(source: Source) -> Heap {
        Heap {
            state: UnsafeCell::new(State {
                free: [None; SIZES],
                next: 0,
                end: 0,
            }),
            source,
        }
    }
}

/// Which size a block of this layout has, counted from the smallest one. `None` if none is as large, or so aligned.
fn class(layout: Layout) -> Option<usize> {
    let size = layout.size().max(SMALLEST).checked_next_power_of_two()?;
    let class = (size.trailing_zeros() - SMALLEST.trailing_zeros()) as usize;
    (class < SIZES && layout.align() <= ALIGNED.min(size)).then_some(class)
}

// Never inlined: there are thousands of places that ask for memory, and the component is compiled by each host.
// SAFETY: a block is as large and as aligned as its class says, which is at least what the layout wants. It is on no
// list while it is in use, and what was not handed out yet does not overlap it.
unsafe impl GlobalAlloc for Heap {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(class) = class(layout) else {
            return ptr::null_mut();
        };
        // SAFETY: nobody else has it; see `Sync`.
        let state = unsafe { &mut *self.state.get() };
        if let Some(block) = state.free[class] {
            // SAFETY: what is on the list was written by `dealloc`, and is in nobody's use.
            state.free[class] = unsafe { block.as_ref() }.next;
            return block.as_ptr().cast();
        }
        let size = SMALLEST << class;
        let start = state.next.next_multiple_of(ALIGNED.min(size));
        if let Some(end) = start.checked_add(size).filter(|end| *end <= state.end) {
            state.next = end;
            return ptr::with_exposed_provenance_mut(start);
        }
        let room = size.max(STEP);
        let Some(more) = (self.source)(room) else {
            return ptr::null_mut();
        };
        // What is left over is used on if the new memory follows it, and else it is lost.
        let start = if more == state.end { start } else { more };
        state.next = start + size;
        state.end = more + room;
        ptr::with_exposed_provenance_mut(start)
    }

    #[inline(never)]
    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        let (Some(class), Some(block)) = (class(layout), NonNull::new(address.cast::<Free>())) else {
            return;
        };
        // SAFETY: nobody else has it; see `Sync`.
        let state = unsafe { &mut *self.state.get() };
        // SAFETY: the block was handed out by `alloc` for this layout, so that it is large and aligned enough, and its
        // owner gives it up.
        unsafe {
            block.write(Free {
                next: state.free[class],
            })
        };
        state.free[class] = Some(block);
    }

    #[inline(never)]
    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Ok(wanted) = Layout::from_size_align(size, layout.align()) else {
            return ptr::null_mut();
        };
        if class(wanted).is_some_and(|wanted| class(layout) == Some(wanted)) {
            return address;
        }
        // SAFETY: `wanted` is not empty, as the caller must see to.
        let new = unsafe { self.alloc(wanted) };
        if !new.is_null() {
            // SAFETY: both blocks have so many bytes, and are not the same; the caller gives the old one up.
            unsafe {
                ptr::copy_nonoverlapping(address, new, layout.size().min(size));
                self.dealloc(address, layout);
            }
        }
        new
    }
}

#[cfg(target_arch = "wasm32")]
mod component {
    use super::Heap;

    /// The size of a page of memory, in bytes.
    const PAGE: usize = 64 << 10;

    #[global_allocator]
    static HEAP: Heap = Heap::new(grow);

    /// More memory of the component's own.
    fn grow(bytes: usize) -> Option<usize> {
        let before = core::arch::wasm32::memory_grow(0, bytes.div_ceil(PAGE));
        (before != usize::MAX).then(|| before * PAGE)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use std::cell::Cell;

    use super::*;

    /// How much memory a test has.
    const ALL: usize = 4 << 20;

    thread_local! {
        static ARENA: Box<[u128]> = vec![0; ALL / size_of::<u128>()].into();
        static TAKEN: Cell<usize> = const { Cell::new(0) };
    }

    fn take(bytes: usize) -> Option<usize> {
        let before = TAKEN.get();
        if before + bytes > ALL {
            return None;
        }
        TAKEN.set(before + bytes);
        Some(ARENA.with(|arena| arena.as_ptr().expose_provenance()) + before)
    }

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).unwrap()
    }

    #[test]
    fn what_is_in_use_never_overlaps() {
        let heap = Heap::new(take);
        let mut used: Vec<(*mut u8, usize, u8)> = Vec::new();
        for round in 0..5_000_usize {
            let size = 1 + (round * 7_919) % 300;
            let mark = (round % 251) as u8;
            // SAFETY: each block is written within its size, and given back once.
            unsafe {
                let block = heap.alloc(layout(size));
                assert!(!block.is_null() && block.addr().is_multiple_of(8));
                block.write_bytes(mark, size);
                used.push((block, size, mark));
                if round % 3 > 0 {
                    let (block, size, mark) = used.swap_remove((round * 31) % used.len());
                    assert!((0..size).all(|at| *block.add(at) == mark), "round {round}");
                    let grown = heap.realloc(block, layout(size), size * 2);
                    assert!((0..size).all(|at| *grown.add(at) == mark), "round {round}");
                    heap.dealloc(grown, layout(size * 2));
                }
            }
        }
    }

    #[test]
    fn what_was_given_back_is_handed_out_again() {
        let heap = Heap::new(take);
        for size in [1, 100, 70_000] {
            // SAFETY: each block is given back once.
            unsafe {
                let first = heap.alloc(layout(size));
                heap.dealloc(first, layout(size));
                for _ in 0..10_000 {
                    let next = heap.alloc(layout(size));
                    assert_eq!(next, first);
                    heap.dealloc(next, layout(size));
                }
            }
        }
    }

    #[test]
    fn without_memory_there_is_no_block() {
        let heap = Heap::new(take);
        // SAFETY: nothing is done with the blocks.
        unsafe {
            assert!(heap.alloc(layout(2 * ALL)).is_null());
            assert!(heap.alloc(layout(isize::MAX as usize - 8)).is_null());
            assert!(heap.alloc(Layout::from_size_align(8, 4096).unwrap()).is_null());
            assert!(!heap.alloc(layout(8)).is_null());
        }
    }
}
