-- Whether a caller may use a token with this allowlist (spec §5.6); `addressAllowed` in packages/core/src/allowlist.ts
-- is the same rule, and a test compares the two. The address is canonical, or null if it is none. An entry that is no
-- network admits nobody.
CREATE OR REPLACE FUNCTION address_is_allowed(p_allowlist text[], p_address text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  entry text;
BEGIN
  IF cardinality(p_allowlist) = 0 THEN RETURN true; END IF;
  FOREACH entry IN ARRAY p_allowlist LOOP
    BEGIN
      IF p_address::inet <<= entry::cidr THEN RETURN true; END IF;
    EXCEPTION WHEN invalid_text_representation THEN
      NULL;
    END;
  END LOOP;
  RETURN false;
END
$$;
