//! A traveling salesman: the smallest round trip through all cities, a problem without an opponent.
//!
//! The tree of source 004's last section: a node is the beginning of a tour and stands for all tours
//! that begin so. No tour below it is shorter than the way so far plus, for the present city and each
//! city not yet seen, the shortest road that leaves it: the lower bound that
//! [`crate::game_tree::algorithms::minimal_configuration`] cuts with.

use crate::game_tree::Game;
use crate::game_tree::algorithms::minimal_configuration::Configurations;
use crate::score::Score;

/// The roads: `roads[a][b]` is the length of the way from city `a` to city `b`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TravelingSalesman {
    roads: Vec<Vec<Score>>,
}

/// The beginning of a tour, which starts in city 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tour {
    seen: u64,
    at: usize,
    length: Score,
}

impl TravelingSalesman {
    /// Cities at points of a plane; a road's length is the distance, rounded. At most 64 cities.
    #[must_use]
    pub fn in_the_plane(cities: &[(Score, Score)]) -> Self {
        debug_assert!(cities.len() <= 64);
        let length = |a: &(Score, Score), b: &(Score, Score)| {
            let (x, y) = (f64::from(a.0 - b.0), f64::from(a.1 - b.1));
            x.hypot(y).round() as Score
        };
        let roads = cities.iter().map(|a| cities.iter().map(|b| length(a, b)).collect()).collect();
        Self { roads }
    }

    fn unseen(&self, tour: &Tour) -> impl Iterator<Item = usize> + use<> {
        let seen = tour.seen;
        (0..self.roads.len()).filter(move |city| seen & (1 << city) == 0)
    }
}

impl Game for TravelingSalesman {
    type Position = Tour;
    type Move = usize;

    fn root(&self) -> Tour {
        Tour { seen: 1, at: 0, length: 0 }
    }

    fn moves(&self, tour: &Tour) -> Vec<usize> {
        self.unseen(tour).collect()
    }

    fn play(&self, tour: &Tour, city: usize) -> Tour {
        let length = tour.length + self.roads[tour.at][city];
        Tour { seen: tour.seen | 1 << city, at: city, length }
    }

    /// The length of the whole tour, the way home included.
    fn value(&self, tour: &Tour) -> Score {
        tour.length + self.roads[tour.at][0]
    }

    fn key(&self, tour: &Tour) -> u64 {
        tour.seen.wrapping_mul(64).wrapping_add(tour.at as u64) ^ ((tour.length as u64) << 40)
    }
}

impl Configurations for TravelingSalesman {
    fn lower_bound(&self, tour: &Tour) -> Score {
        let to_leave = self.unseen(tour).chain([tour.at]);
        let shortest = |city: usize| {
            let others = self.unseen(tour).chain([0]).filter(move |&other| other != city);
            others.map(|other| self.roads[city][other]).min().unwrap_or(0)
        };
        tour.length + to_leave.map(shortest).sum::<Score>()
    }
}
