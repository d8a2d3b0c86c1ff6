-- Whether a login is the web process's. Pass current_user in a trigger's WHEN: inside a function with the rights of the
-- owner it is the owner, whose changes are trusted. Pass session_user in such a function: it stays the login.
--
-- False for every login of an installation whose processes share one.
CREATE OR REPLACE FUNCTION is_web(p_login name) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM database_logins WHERE part = 'web' AND login = p_login)
$$;
