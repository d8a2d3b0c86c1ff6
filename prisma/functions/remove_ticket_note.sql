-- Removes an internal note on a ticket, for whoever acts and may work on tickets there.
CREATE OR REPLACE FUNCTION remove_ticket_note(p_note_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM require_acting((SELECT guild_id FROM ticket_notes WHERE id = p_note_id), 'tickets.write');
  DELETE FROM ticket_notes WHERE id = p_note_id;
END
$$;
