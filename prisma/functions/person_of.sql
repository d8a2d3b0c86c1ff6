-- The person of a dashboard call p: whoever its session_proof or device_code shows. Without either it is its
-- actor_user_id, which only a process that is not reachable from the internet may say.
CREATE OR REPLACE FUNCTION person_of(p jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF p->>'session_proof' IS NOT NULL THEN
    RETURN act_in_session(p->>'session_proof');
  ELSIF p->>'device_code' IS NOT NULL THEN
    RETURN act_by_device_code(p->>'device_code');
  ELSIF is_web(session_user) THEN
    RAISE EXCEPTION 'The web process must show the session of the person.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN p->>'actor_user_id';
END
$$;
