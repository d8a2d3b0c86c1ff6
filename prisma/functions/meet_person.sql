-- A trigger for a record of people, whom its guild meets (meet_people). Its arguments are the columns with their ids.
CREATE OR REPLACE FUNCTION meet_person() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM meet_people(NEW.guild_id, ARRAY(SELECT to_jsonb(NEW)->>name FROM unnest(TG_ARGV) AS name));
  RETURN NULL;
END
$$;
