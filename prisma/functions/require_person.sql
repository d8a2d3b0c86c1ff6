-- A trigger at the end of the transaction, for rows of the web process that say what only people do: who acts in this
-- transaction must have shown a session. A token needs consent for what the bot does because of such a row. Whether the
-- person may do it at all, require_hand checks.
CREATE OR REPLACE FUNCTION require_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT source FROM acting()) IS DISTINCT FROM 'dashboard' THEN
    RAISE EXCEPTION 'The web process may do this to % only in the session of a person.', TG_TABLE_NAME
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NULL;
END
$$;
