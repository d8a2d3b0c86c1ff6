-- Who acts in this transaction, as `act` noted: 'dashboard' and a person, whose guild is null, or the source of a call
-- that was admitted, its person and its guild. Nulls if nobody does.
CREATE OR REPLACE FUNCTION acting(
  OUT source text, OUT user_id text, OUT guild_id text, OUT signed_in_freshly boolean
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  parts text[] := string_to_array(current_setting('bailiff.acting', true), ' ');
  note text := array_to_string(parts[:cardinality(parts) - 1], ' ');
BEGIN
  IF parts[1] = pg_current_xact_id_if_assigned()::text AND parts[cardinality(parts)] = signature_of(note) THEN
    signed_in_freshly := parts[2]::boolean;
    source := parts[3];
    user_id := parts[4];
    guild_id := CASE WHEN cardinality(parts) > 5 THEN parts[5] END;
  END IF;
END
$$;
