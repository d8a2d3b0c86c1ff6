-- Remembers the channel of a conversation that was opened with a person, which another process may have done too. Nothing
-- is kept of somebody who was forgotten meanwhile: no conversation is being opened for an hour.
CREATE OR REPLACE FUNCTION keep_direct_channel(p_user_id text, p_channel_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  -- A forgetting that has begun is waited for, and one that begins now deletes the row.
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('direct channel:' || p_user_id, 0));
  INSERT INTO direct_channels (user_id, channel_id)
  SELECT p_user_id, p_channel_id WHERE NOT EXISTS (
    SELECT FROM forgettings
    WHERE mark = signature_of('forgotten person ' || p_user_id) AND at > clock_timestamp() - interval '1 hour')
  ON CONFLICT (user_id) DO UPDATE SET channel_id = excluded.channel_id, opened_at = excluded.opened_at;
END
$$;
