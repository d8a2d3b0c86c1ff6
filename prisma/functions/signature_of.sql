-- The signature of a text with the database's own secret, which no login of a process can read.
CREATE OR REPLACE FUNCTION signature_of(p_text text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(secret || sha256(secret || convert_to(p_text, 'UTF8'))), 'hex') FROM signing_secret
$$;
