-- Whether an action is one person's of a mass action. These are the system's, and have the id of the mass action as
-- their request. The list of its people, which says so too, is deleted after a month.
CREATE OR REPLACE FUNCTION is_of_many(p_action_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM actions a
    JOIN actions mass ON mass.id = a.request_id AND mass.guild_id = a.guild_id AND mass.operation LIKE '%.many'
    WHERE a.id = p_action_id AND a.actor_source = 'system')
$$;
