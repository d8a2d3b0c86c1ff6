-- The capability to write cases of a kind: `writer` of CASE_KINDS (packages/core/src/case-kinds.ts).
CREATE OR REPLACE FUNCTION case_writer(p_kind text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_kind IN ('ban', 'softban', 'kick') THEN 'bans.write' WHEN p_kind = 'mute' THEN 'mutes.write'
    ELSE 'strikes.write' END
$$;
