-- A trigger at the end of the transaction, for rows of the web process that give power to others: who acts in this
-- transaction must have signed in within the last hour. So a cookie that was copied long ago can do nothing of this, even
-- in a web process under foreign control. Whether the person may do it at all, require_hand checks.
CREATE OR REPLACE FUNCTION require_fresh_sign_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT signed_in_freshly FROM acting()) IS NOT TRUE THEN
    RAISE EXCEPTION 'The web process may do this to % only after a sign-in of the last hour.', TG_TABLE_NAME
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NULL;
END
$$;
