-- A trigger on deleted identities: an imported one leaves no row that names it. Importing the same archive again brings it
-- again.
CREATE OR REPLACE FUNCTION forget_imported_identity() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM imported_rows WHERE record_id = OLD.id;
  RETURN NULL;
END
$$;
