-- Notifies every listening process of a change in a guild, for open pages of the dashboard and for calls that wait for
-- their result.
CREATE OR REPLACE FUNCTION tell(p_kind text, p_guild_id text, p_more jsonb) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('bailiff', (jsonb_build_object('kind', p_kind, 'guild_id', p_guild_id) || p_more)::text)
$$;
