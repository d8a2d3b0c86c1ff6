-- Writes an internal note on a ticket, by whoever acts, and returns its id. A function, because the guild of the note is
-- that of its ticket: the web process says neither whose words they are nor in which guild they stand.
CREATE OR REPLACE FUNCTION write_ticket_note(p_ticket_id text, p_text text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  guild text := (SELECT guild_id FROM tickets WHERE id = p_ticket_id FOR UPDATE);
  by_whom text := require_acting(guild, 'tickets.write');
  written text;
BEGIN
  INSERT INTO ticket_notes (guild_id, ticket_id, text, written_by) VALUES (guild, p_ticket_id, p_text, by_whom)
  RETURNING id INTO written;
  RETURN written;
END
$$;
