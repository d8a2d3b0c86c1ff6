-- The messages of a transcript or an archive without what a person wrote and attached. That they wrote something stays.
CREATE OR REPLACE FUNCTION without_lines_of(p_messages jsonb, p_user_id text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(jsonb_agg(CASE WHEN message->>'author_id' = p_user_id
    THEN message || '{"author_name": "", "text": "", "attachments": []}' ELSE message END ORDER BY n), '[]')
  FROM jsonb_array_elements(p_messages) WITH ORDINALITY AS messages (message, n)
$$;
