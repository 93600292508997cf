//! One user, for reading and editing.

use crate::error::ApiError;
use crate::preconditions::{Versioned, versioned};
use crate::state::AppState;
use domain::ids::UserId;
use domain::ports::EditableRecord;
use domain::user::{User, UserSpec};

pub async fn load(state: &AppState, id: UserId) -> Result<Versioned<User>, ApiError> {
    versioned(state, EditableRecord::User(id), state.store.user(id)).await
}

pub fn current_spec(user: &User) -> UserSpec {
    UserSpec {
        username: user.username.clone(),
        password: None,
        email: user.email.clone(),
        groups: user.groups.clone(),
        is_admin: user.is_admin,
    }
}
