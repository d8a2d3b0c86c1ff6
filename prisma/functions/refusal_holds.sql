-- Whether the owner has refused a request within the last hour. The same call then asks nobody again, and the owner can
-- still allow it (decisions: Approval requests).
CREATE OR REPLACE FUNCTION refusal_holds(p_state "ApprovalState", p_decided_at timestamptz) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT p_state = 'refused' AND p_decided_at > clock_timestamp() - interval '1 hour'
$$;
