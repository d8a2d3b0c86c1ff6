-- Adds to the cases and tickets of new rows (import_rows) what an archive knows of them besides: changes, links with
-- cases that came before, the list of evidence, the messages that they are about, internal notes on tickets, what their
-- openers said of the help, and parts of transcripts. Whatever its source says, what comes with a case is older than the
-- import, so that an undo tells it from what was done since.
CREATE OR REPLACE FUNCTION import_more(import imports, p_fresh jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  latest timestamptz := import.begun_at - interval '1 millisecond';
  part record;
BEGIN
  INSERT INTO case_changes (guild_id, case_id, action_id, changed_by, changed_at, why, before, after)
  SELECT import.guild_id, r->>'id', import.id, c->>'by', least((c->>'at')::timestamptz, latest), c->>'why',
    c->'before', c->'after'
  FROM jsonb_array_elements(p_fresh) WITH ORDINALITY AS rows (r, n),
    jsonb_array_elements(r->'more'->'changes') WITH ORDINALITY AS changes (c, m)
  ORDER BY n, m;

  INSERT INTO evidence (guild_id, case_id, name, media_type, size_bytes, sha256, problem, attached_at)
  SELECT import.guild_id, r->>'id', e->>'name', e->>'media_type', (e->>'size_bytes')::int, decode(e->>'sha256', 'hex'),
    coalesce(e->>'problem', 'elsewhere')::"EvidenceProblem", least((e->>'attached_at')::timestamptz, latest)
  FROM jsonb_array_elements(p_fresh) WITH ORDINALITY AS rows (r, n),
    jsonb_array_elements(r->'more'->'evidence') WITH ORDINALITY AS files (e, m)
  ORDER BY n, m;

  INSERT INTO case_messages (guild_id, case_id, channel_id, message_id, author_id, text, attached_at)
  SELECT import.guild_id, r->>'id', m->>'channel_id', m->>'message_id', m->>'author_id', m->>'text',
    least((m->>'attached_at')::timestamptz, latest)
  FROM jsonb_array_elements(p_fresh) WITH ORDINALITY AS rows (r, n),
    jsonb_array_elements(r->'more'->'messages') WITH ORDINALITY AS messages (m, nth)
  WHERE r->>'type' = 'case' ORDER BY n, nth;

  INSERT INTO ticket_notes (id, guild_id, ticket_id, text, written_by, written_at)
  SELECT id_at('tno', (n->>'at')::timestamptz, m::int), import.guild_id, r->>'id', n->>'text', n->>'by',
    least((n->>'at')::timestamptz, latest)
  FROM jsonb_array_elements(p_fresh) WITH ORDINALITY AS rows (r, nth),
    jsonb_array_elements(r->'more'->'notes') WITH ORDINALITY AS notes (n, m)
  WHERE r->>'type' = 'ticket' ORDER BY nth, m;

  INSERT INTO ticket_feedback (ticket_id, closed_at, guild_id, state, rating, text, rated_at)
  SELECT r->>'id', least((f->>'closed_at')::timestamptz, latest), import.guild_id,
    (f->>'state')::"TargetNoticeState", (f->>'rating')::int, f->>'text',
    CASE WHEN f ? 'rated_at' THEN least((f->>'rated_at')::timestamptz, latest) END
  FROM jsonb_array_elements(p_fresh) AS r, jsonb_array_elements(r->'more'->'feedback') AS f
  WHERE r->>'type' = 'ticket'
  ON CONFLICT DO NOTHING;

  -- Of a case that did not come there is no link.
  INSERT INTO case_links (guild_id, case_id, other_id, linked_by, linked_at)
  SELECT import.guild_id, least(linked.id, other), greatest(linked.id, other), linked.by, least(linked.at, latest)
  FROM (
    SELECT r->>'id' AS id, coalesce(
        (SELECT record_id FROM imported_rows WHERE guild_id = import.guild_id AND source = import.source
          AND external_id = l->>'id' AND record_id IS NOT NULL),
        (SELECT c.id FROM cases c WHERE c.id = l->>'id' AND c.guild_id = import.guild_id)) AS other,
      l->>'by' AS by, (l->>'at')::timestamptz AS at
    FROM jsonb_array_elements(p_fresh) AS r, jsonb_array_elements(r->'more'->'links') AS l) AS linked
  WHERE EXISTS (SELECT FROM cases c WHERE c.id = other AND c.id <> linked.id)
  ON CONFLICT DO NOTHING;

  -- Once for each ticket: it writes its whole transcript anew.
  FOR part IN
    SELECT r->>'id' AS ticket, jsonb_agg(message ORDER BY (r->>'place')::int, nth) AS messages
    FROM jsonb_array_elements(p_fresh) AS r,
      jsonb_array_elements(r->'more'->'messages') WITH ORDINALITY AS messages (message, nth)
    WHERE r->>'type' = 'messages' GROUP BY 1
  LOOP
    UPDATE tickets SET transcript = coalesce(transcript, '[]') || part.messages
    WHERE id = part.ticket AND guild_id = import.guild_id;
  END LOOP;
END
$$;
