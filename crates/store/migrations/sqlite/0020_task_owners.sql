-- Whose task it is: owners take turns. 0 is the service itself.
ALTER TABLE tasks ADD COLUMN owner BIGINT NOT NULL DEFAULT 0;
CREATE INDEX tasks_by_owner ON tasks (queue, owner, due, id) WHERE state = 'waiting' AND lease_until IS NULL;
