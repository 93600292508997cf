//! Rows of users with the names of their groups: one row per membership.

use crate::row::row;
use domain::ids::UserId;
use domain::instant::Instant;
use domain::user::User;

/// The columns of [`UserRow`], from `users` joined by [`with_groups`].
macro_rules! user_columns {
    () => {
        "users.id, users.username, users.email, users.is_admin, users.date_created, users.date_updated, \
         user_groups.name AS group_name"
    };
}

/// Joins the group names to `users`.
macro_rules! with_groups {
    () => {
        " LEFT JOIN user_group_members ON user_group_members.user_id = users.id \
         LEFT JOIN user_groups ON user_groups.id = user_group_members.group_id "
    };
}
pub(super) use {user_columns, with_groups};

row! {
    pub(super) struct UserRow {
        id: i64,
        username: String,
        email: String,
        is_admin: bool,
        date_created: Instant,
        date_updated: Instant,
        group_name: Option<String>,
    }
}

/// Merges consecutive rows of the same user, keeping their order.
pub(super) fn fold(rows: impl IntoIterator<Item = UserRow>) -> Vec<User> {
    let mut users: Vec<User> = Vec::new();
    for row in rows {
        match users.last_mut() {
            Some(user) if user.id.0 == row.id => user.groups.extend(row.group_name),
            _ => users.push(User {
                id: UserId(row.id),
                username: row.username,
                email: row.email,
                is_admin: row.is_admin,
                groups: row.group_name.into_iter().collect(),
                date_created: row.date_created,
                date_updated: row.date_updated,
            }),
        }
    }
    // Sorted here, because the databases use different collations.
    users.iter_mut().for_each(|user| user.groups.sort());
    users
}
