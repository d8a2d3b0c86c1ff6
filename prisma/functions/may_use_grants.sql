-- after: functions/is_administrator
-- Whether what was granted to a member counts now: not while Discord has them timed out. As at Discord, a timeout does
-- nothing to administrators. The planner folds this into the query that asks; only for who is timed out it asks more.
CREATE OR REPLACE FUNCTION may_use_grants(p_member members) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT (p_member.timed_out_until > now()) IS NOT TRUE OR is_administrator(p_member)
$$;
