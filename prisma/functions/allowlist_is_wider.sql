-- after: functions/address_is_allowed
-- Whether an allowlist of a token admits addresses that the one before did not. An empty one admits all.
CREATE OR REPLACE FUNCTION allowlist_is_wider(p_before text[], p_after text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT cardinality(p_before) > 0 AND (cardinality(p_after) = 0
    OR EXISTS (SELECT FROM unnest(p_after) AS entry WHERE NOT address_is_allowed(p_before, entry)))
$$;
