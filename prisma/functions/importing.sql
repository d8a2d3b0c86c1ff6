-- The import that the owner of its guild goes on with in this transaction, locked. p has guild_id, import_id, and what
-- shows who the person is (see person_of). Raises an error if the person does not own the guild, or if the import is
-- not the guild's or was undone; BF006 if the web process shows a session that began more than an hour ago.
CREATE OR REPLACE FUNCTION importing(p jsonb) RETURNS imports LANGUAGE plpgsql AS $$
DECLARE
  person text := person_of(p);
  import imports;
BEGIN
  SELECT i.* INTO import FROM imports i JOIN guilds g ON g.id = i.guild_id
  WHERE i.id = p->>'import_id' AND i.guild_id = p->>'guild_id' AND i.undone_at IS NULL
    AND g.owner_id = person AND g.left_at IS NULL
  FOR UPDATE OF i;
  IF import.id IS NULL THEN
    RAISE EXCEPTION 'Only the owner of a guild goes on with its import.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF is_web(session_user) AND (SELECT signed_in_freshly FROM acting()) IS NOT TRUE THEN
    RAISE EXCEPTION 'Imports go on only after a sign-in of the last hour.' USING ERRCODE = 'BF006';
  END IF;
  RETURN import;
END
$$;
