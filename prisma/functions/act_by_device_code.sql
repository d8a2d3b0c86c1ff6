-- Notes that the person who authorized a device code acts in this transaction, and returns their id: the client that
-- holds the code gets the token that they confirmed. p_code is the device code itself (RFC 8628 section 3.2).
--
-- Raises BF002 if nobody authorized such a code, or its time is over.
CREATE OR REPLACE FUNCTION act_by_device_code(p_code text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  person text;
BEGIN
  SELECT decided_by INTO person FROM device_authorizations
  WHERE device_code_hash = sha256(convert_to(p_code, 'UTF8')) AND state IN ('authorized', 'redeemed')
    AND expires_at > clock_timestamp();
  IF person IS NULL THEN
    RAISE EXCEPTION 'Nobody has authorized this device code.' USING ERRCODE = 'BF002';
  END IF;
  -- They could authorize it only after a fresh sign-in, a few minutes ago.
  PERFORM act('dashboard', person, NULL, true);
  RETURN person;
END
$$;
