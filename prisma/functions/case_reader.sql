-- The capability to read cases of a kind: `reader` of CASE_KINDS (packages/core/src/case-kinds.ts).
CREATE OR REPLACE FUNCTION case_reader(p_kind text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_kind IN ('ban', 'softban', 'kick') THEN 'bans.read' WHEN p_kind = 'mute' THEN 'mutes.read'
    ELSE 'strikes.read' END
$$;
