-- What submit_call would answer a token without its secret. Everything that the checks wrote is undone.
CREATE OR REPLACE FUNCTION rehearse_call(p jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  answer jsonb;
BEGIN
  BEGIN
    answer := admit_call(p);
    RAISE EXCEPTION 'Undo what the checks wrote.' USING ERRCODE = 'BF004';
  EXCEPTION WHEN SQLSTATE 'BF004' THEN
    RETURN answer;
  END;
END
$$;
