//! The doors, asked through the router: a store in memory, plug-ins that answer at once, no socket.

mod access;
mod house;
mod pages;
mod people;
mod plugins;
mod providers;
mod searches;
