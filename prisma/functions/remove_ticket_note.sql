-- Removes an internal note on a ticket, and its text wherever else it stands, for whoever acts and may work on tickets
-- there.
CREATE OR REPLACE FUNCTION remove_ticket_note(p_note_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  removed ticket_notes;
BEGIN
  PERFORM require_acting((SELECT guild_id FROM ticket_notes WHERE id = p_note_id), 'tickets.write');
  DELETE FROM ticket_notes WHERE id = p_note_id RETURNING * INTO removed;
  PERFORM forget_note_text(p_note_id, removed.guild_id, 'tickets.note', removed.ticket_id, removed.written_by,
    removed.written_at);
END
$$;
