//! Chats and their messages.

use crate::SqlStore;
use crate::db::{on_db, on_tx, rows_affected};
use crate::json::{JsonText, to_column, to_count};
use crate::row::row;
use async_trait::async_trait;
use domain::chat::{Chat, ChatMessage, ChatSpec, MessageContent, Rating, Speaker};
use domain::ids::{ChatId, MessageId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{ChatEdits, ChatStore, EditableRecord, Page, StoreError};
use sqlx::types::Json;

const USER: &str = "user";
const ASSISTANT: &str = "assistant";

macro_rules! chat_columns {
    () => {
        "id, owner, draft, date_created, date_updated"
    };
}

macro_rules! message_columns {
    () => {
        "id, chat_id, role, created, rating, body"
    };
}

row! {
    struct ChatRow {
        id: i64,
        owner: i64,
        draft: Json<ChatSpec>,
        date_created: Instant,
        date_updated: Instant,
    }
}

impl From<ChatRow> for Chat {
    fn from(row: ChatRow) -> Self {
        Self {
            id: ChatId(row.id),
            owner: UserId(row.owner),
            spec: row.draft.0,
            date_created: row.date_created,
            date_updated: row.date_updated,
        }
    }
}

row! {
    struct MessageRow {
        id: i64,
        chat_id: i64,
        role: String,
        created: Instant,
        rating: Option<Json<Rating>>,
        body: Json<MessageContent>,
    }
}

impl TryFrom<MessageRow> for ChatMessage {
    type Error = StoreError;

    fn try_from(row: MessageRow) -> Result<Self, StoreError> {
        let role = match row.role.as_str() {
            USER => Speaker::User,
            ASSISTANT => Speaker::Assistant,
            _ => return Err(StoreError::failed(format!("message {} has an unknown speaker", row.id))),
        };
        Ok(Self {
            id: MessageId(row.id),
            chat: ChatId(row.chat_id),
            role,
            body: row.body.0,
            rating: row.rating.map(|rating| rating.0),
            created: row.created,
        })
    }
}

#[async_trait]
impl ChatStore for SqlStore {
    async fn create_chat(&self, spec: ChatSpec, owner: UserId, now: Instant) -> Result<Chat, StoreError> {
        const TEXT: &str = "INSERT INTO chats (owner, draft, date_created, date_updated) \
             VALUES ($1, $2, $3, $3) RETURNING id";
        let (text, now) = (JsonText::of(&spec)?, to_micros(now));
        let ids: Vec<i64> = on_db!(self.db, write, db => sqlx::query_scalar(TEXT)
            .bind(owner.0).bind(text.clone()).bind(now).fetch_all(db))?;
        let id = ids.first().copied().map(ChatId).ok_or(StoreError::NotFound)?;
        Ok(Chat { id, owner, spec, date_created: now, date_updated: now })
    }

    async fn chat(&self, id: ChatId) -> Result<Chat, StoreError> {
        const TEXT: &str = concat!("SELECT ", chat_columns!(), " FROM chats WHERE id = $1");
        on_db!(self.db, read, db => sqlx::query_as::<_, ChatRow>(TEXT).bind(id.0).fetch_one(db))
            .map(Chat::from)
    }

    async fn chats(&self, owner: UserId, offset: u64, limit: u64) -> Result<Page<Chat>, StoreError> {
        const COUNT: &str = "SELECT COUNT(*) FROM chats WHERE owner = $1";
        const TEXT: &str = concat!(
            "SELECT ",
            chat_columns!(),
            " FROM chats WHERE owner = $1 ORDER BY date_updated DESC, id DESC LIMIT $2 OFFSET $3"
        );
        let total: i64 = on_db!(self.db, read, db => sqlx::query_scalar(COUNT).bind(owner.0).fetch_one(db))?;
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, ChatRow>(TEXT)
            .bind(owner.0).bind(to_column(limit)).bind(to_column(offset)).fetch_all(db))?;
        Ok(Page { items: rows.into_iter().map(Chat::from).collect(), total: to_count(total) })
    }

    async fn delete_chats(&self, owner: UserId) -> Result<u64, StoreError> {
        on_db!(self.db, write, db => rows_affected(
            sqlx::query("DELETE FROM chats WHERE owner = $1").bind(owner.0).execute(db)))
    }

    async fn add_message(
        &self,
        chat: ChatId,
        role: Speaker,
        body: MessageContent,
        now: Instant,
    ) -> Result<ChatMessage, StoreError> {
        // The first statement locks the chat until the end, so that ids follow the order of the conversation.
        const HOLD: &str = "UPDATE chats SET date_updated = $2, version = version + 1 WHERE id = $1";
        const TEXT: &str =
            "INSERT INTO chat_messages (chat_id, role, created, body) VALUES ($1, $2, $3, $4) RETURNING id";
        let (text, now) = (JsonText::of(&body)?, to_micros(now));
        let name = match role {
            Speaker::User => USER,
            Speaker::Assistant => ASSISTANT,
        };
        let mut tx = self.db.begin().await?;
        let rows =
            on_tx!(&mut tx, db => rows_affected(sqlx::query(HOLD).bind(chat.0).bind(now).execute(db)))?;
        if rows == 0 {
            tx.rollback().await?;
            return Err(StoreError::NotFound);
        }
        let id = on_tx!(&mut tx, db => sqlx::query_scalar(TEXT)
            .bind(chat.0).bind(name).bind(now).bind(text.clone()).fetch_one(db))
        .map(MessageId)?;
        tx.commit().await?;
        Ok(ChatMessage { id, chat, role, body, rating: None, created: now })
    }

    async fn messages(&self, chat: ChatId) -> Result<Vec<ChatMessage>, StoreError> {
        const TEXT: &str =
            concat!("SELECT ", message_columns!(), " FROM chat_messages WHERE chat_id = $1 ORDER BY id");
        let rows =
            on_db!(self.db, read, db => sqlx::query_as::<_, MessageRow>(TEXT).bind(chat.0).fetch_all(db))?;
        rows.into_iter().map(ChatMessage::try_from).collect()
    }

    async fn rate_message(
        &self,
        chat: ChatId,
        message: MessageId,
        rating: Rating,
    ) -> Result<ChatMessage, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE chat_messages SET rating = $3 WHERE chat_id = $1 AND id = $2 RETURNING ",
            message_columns!()
        );
        let rating = JsonText::of(&rating)?;
        let mut tx = self.db.begin().await?;
        self.lock_version(&mut tx, EditableRecord::Chat(chat)).await?;
        let row = on_tx!(&mut tx, db => sqlx::query_as::<_, MessageRow>(TEXT)
            .bind(chat.0).bind(message.0).bind(rating.clone()).fetch_one(db))?;
        tx.commit().await?;
        row.try_into()
    }
}

#[async_trait]
impl ChatEdits for SqlStore {
    async fn change_chat(&self, id: ChatId, spec: ChatSpec, now: Instant) -> Result<Chat, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE chats SET draft = $2, date_updated = $3 WHERE id = $1 RETURNING ",
            chat_columns!()
        );
        let text = JsonText::of(&spec)?;
        let mut tx = self.db.begin().await?;
        self.lock_version(&mut tx, EditableRecord::Chat(id)).await?;
        let row = on_tx!(&mut tx, db => sqlx::query_as::<_, ChatRow>(TEXT)
            .bind(id.0).bind(text.clone()).bind(to_micros(now)).fetch_one(db))?;
        tx.commit().await?;
        Ok(row.into())
    }

    async fn delete_chat(&self, id: ChatId) -> Result<(), StoreError> {
        let mut tx = self.db.begin().await?;
        self.lock_version(&mut tx, EditableRecord::Chat(id)).await?;
        on_tx!(&mut tx, db => rows_affected(sqlx::query("DELETE FROM chats WHERE id = $1").bind(id.0).execute(db)))?;
        tx.commit().await
    }
}
