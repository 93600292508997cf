-- When a schedule was taken last, in microseconds since 1970, and whether it is in use.
ALTER TABLE schedules ADD COLUMN last_taken BIGINT;
ALTER TABLE schedules ADD COLUMN enabled BOOLEAN NOT NULL DEFAULT TRUE;
