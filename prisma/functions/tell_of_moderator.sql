-- after: functions/tell, functions/grant_reaches
-- A trigger: notifies the pages of a guild that show its first steps of a member who was granted something.
CREATE OR REPLACE FUNCTION tell_of_moderator() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell('settings', g.id, '{}') FROM guilds g
  WHERE g.id = NEW.guild_id AND NOT g.hides_first_steps AND g.owner_id <> NEW.user_id
    AND EXISTS (SELECT FROM role_grants r WHERE r.guild_id = g.id AND grant_reaches(r, NEW.role_ids));
  RETURN NULL;
END
$$;
