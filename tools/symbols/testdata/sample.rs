//! Module.

use std::fmt;

/// The most.
pub const LIMIT: usize = 10;

/// A point.
#[derive(Debug)]
pub struct Point<'a> {
    name: &'a str,
    c: char,
}

pub struct Unit;

pub(crate) enum Shape { Round, Square(u8) }

pub trait Area {
    /// How large.
    fn area(&self) -> f64;
    fn twice(&self) -> f64 { self.area() * 2.0 }
}

impl<'a> Area for Point<'a> {
    fn area(&self) -> f64 {
        let open = '{';
        let s = r#"fn fake() { "}"#;
        0.0
    }
}

impl Point<'_> {
    pub async unsafe fn new<T>(x: T) -> Self
    where
        T: Into<String>,
    {
        todo!()
    }
}

mod tests {
    #[test]
    fn works() {}
}

macro_rules! square {
    ($x:expr) => { $x * $x };
}

pub type Result<T> = std::result::Result<T, Error>;
