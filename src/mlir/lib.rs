pub use melior;
