// SPDX-License-Identifier: Apache-2.0
// Traits, closures and generics, for names of both schemes.
use std::collections::HashMap;

trait Shape {
    fn area(&self) -> f64;
}

struct Square(f64);

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

mod outer {
    pub mod inner {
        pub fn text<T: std::fmt::Display>(t: T) -> String {
            format!("<{}>", t)
        }
    }
}

fn main() {
    let mut m: HashMap<String, Vec<Box<dyn Shape>>> = HashMap::new();
    for i in 0..10 {
        m.entry(outer::inner::text(i))
            .or_default()
            .push(Box::new(Square(i as f64)));
    }
    let sum: f64 = m.values().flat_map(|v| v.iter()).map(|s| s.area()).sum();
    println!("{}", sum);
}
