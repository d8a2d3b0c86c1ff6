-- Removes a note on a person, and its text wherever else it stands, for whoever acts and may write notes there.
CREATE OR REPLACE FUNCTION remove_note(p_note_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  removed notes;
BEGIN
  PERFORM require_acting((SELECT guild_id FROM notes WHERE id = p_note_id), 'strikes.write');
  DELETE FROM notes WHERE id = p_note_id RETURNING * INTO removed;
  PERFORM forget_note_text(p_note_id, removed.guild_id, 'notes.add', removed.user_id, removed.written_by,
    removed.written_at);
END
$$;
