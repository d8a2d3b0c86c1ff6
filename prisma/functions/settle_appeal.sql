-- A trigger, at the end of the transaction that ends a case: settles the appeal against it. Whoever lifts or removes the
-- case accepts the appeal (decisions: Appeals). A case whose time is over, or which a later one replaced, ends without
-- a decision about it. So does one whose end an import brings (import_rows), and that is known from now on.
CREATE OR REPLACE FUNCTION settle_appeal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  is_imported boolean := coalesce(current_setting('bailiff.importing', true) = 'yes', false);
  is_free boolean := NOT is_imported AND (NEW.expires_at IS NULL OR NEW.ended_at < NEW.expires_at)
    AND (NEW.kind::text NOT IN ('ban', 'mute') OR NOT EXISTS (SELECT FROM cases
      WHERE guild_id = NEW.guild_id AND user_id = NEW.user_id AND kind = NEW.kind AND id <> NEW.id
        AND case_is_in_force(ended_at, expires_at)));
BEGIN
  UPDATE appeals SET state = CASE WHEN is_free THEN 'accepted' ELSE 'over' END::"AppealState",
    decided_by = CASE WHEN is_free THEN NEW.ended_by END,
    decided_at = CASE WHEN is_imported THEN clock_timestamp() ELSE NEW.ended_at END
  WHERE case_id = NEW.id AND state IN ('sent', 'in_review');
  RETURN NULL;
END
$$;
