-- A trigger for a game server that is reached in another way: who was online when it was last asked is shown no more, and
-- it is asked again at once.
CREATE OR REPLACE FUNCTION forget_players() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM server_players WHERE server_id = NEW.id;
  RETURN NULL;
END
$$;
