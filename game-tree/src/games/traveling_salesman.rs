//! The traveling salesman problem: the shortest round trip through all cities. There is no opponent.
//!
//! The tree of Aho, Hopcroft and Ullman 1983: a node is a partial tour and stands for all tours that begin with it. The
//! lower bound on their length is the length so far plus, for the current city and each unvisited one, the shortest
//! distance to another city of the rest of the tour. It is used for cutoffs by
//! [`crate::algorithms::minimal_configuration`].

use crate::algorithms::minimal_configuration::MinimizationProblem;
use crate::{GameTree, Value};

/// A problem instance: `distances[a][b]` is the distance from city `a` to city `b`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TravelingSalesman {
    distances: Vec<Vec<Value>>,
}

/// A partial tour, which starts in city 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartialTour {
    visited: u64,
    current_city: usize,
    length: Value,
}

impl TravelingSalesman {
    /// Creates an instance of 1 to 64 cities with Euclidean distances, rounded to integers.
    #[must_use]
    pub fn from_points(cities: &[(Value, Value)]) -> Self {
        debug_assert!(cities.len() <= 64);
        let length = |a: &(Value, Value), b: &(Value, Value)| {
            let (x, y) = (f64::from(a.0 - b.0), f64::from(a.1 - b.1));
            x.hypot(y).round() as Value
        };
        let distances = cities.iter().map(|a| cities.iter().map(|b| length(a, b)).collect()).collect();
        Self { distances }
    }

    fn unvisited(&self, tour: &PartialTour) -> impl Iterator<Item = usize> + use<> {
        let visited = tour.visited;
        (0..self.distances.len()).filter(move |city| visited & (1 << city) == 0)
    }
}

impl GameTree for TravelingSalesman {
    type Position = PartialTour;
    type Move = usize;

    fn root(&self) -> PartialTour {
        PartialTour { visited: 1, current_city: 0, length: 0 }
    }

    fn moves(&self, tour: &PartialTour) -> Vec<usize> {
        self.unvisited(tour).collect()
    }

    fn play(&self, tour: &PartialTour, city: usize) -> PartialTour {
        let length = tour.length + self.distances[tour.current_city][city];
        PartialTour { visited: tour.visited | 1 << city, current_city: city, length }
    }

    /// Returns the length of the whole tour, including the return to the start.
    fn value(&self, tour: &PartialTour) -> Value {
        tour.length + self.distances[tour.current_city][0]
    }

    fn key(&self, tour: &PartialTour) -> u64 {
        tour.visited.wrapping_mul(64).wrapping_add(tour.current_city as u64) ^ ((tour.length as u64) << 40)
    }
}

impl MinimizationProblem for TravelingSalesman {
    fn lower_bound(&self, tour: &PartialTour) -> Value {
        let cities_to_leave = self.unvisited(tour).chain([tour.current_city]);
        let shortest_exit = |city: usize| {
            let others = self.unvisited(tour).chain([0]).filter(move |&other| other != city);
            others.map(|other| self.distances[city][other]).min().unwrap_or(0)
        };
        tour.length + cities_to_leave.map(shortest_exit).sum::<Value>()
    }
}
