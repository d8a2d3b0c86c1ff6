-- Takes the text of a removed note out of the call that wrote it. That call stays: who wrote a note, about what and when.
-- A note and its call are of one transaction, so they have the same time; an imported note has no call. Two calls can be
-- of one millisecond: the answer, as long as it is kept, says which note is its own. The text is made empty, which no
-- note can be, so the call and its answer keep their shape.
CREATE OR REPLACE FUNCTION forget_note_text(
  p_note_id text, p_guild_id text, p_operation text, p_target_id text, p_written_by text, p_written_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE actions
  SET input = jsonb_set(input, '{text}', '""', false), result = jsonb_set(result, '{note,text}', '""', false)
  WHERE guild_id = p_guild_id AND target_id = p_target_id AND operation = p_operation
    AND actor_user_id = p_written_by AND created_at = p_written_at
    AND (result IS NULL OR result #>> '{note,id}' = p_note_id);
END
$$;
