-- The picture that the first bytes of a file say it is, as a media type: one of those that browsers show. Null for
-- everything else, whatever the file is called.
CREATE OR REPLACE FUNCTION picture_type(p_content bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN substr(p_content, 1, 8) = '\x89504e470d0a1a0a' THEN 'image/png'
    WHEN substr(p_content, 1, 3) = '\xffd8ff' THEN 'image/jpeg'
    WHEN substr(p_content, 1, 6) IN ('GIF87a', 'GIF89a') THEN 'image/gif'
    WHEN substr(p_content, 1, 4) = 'RIFF' AND substr(p_content, 9, 4) = 'WEBP' THEN 'image/webp'
  END
$$;
