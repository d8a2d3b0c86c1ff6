-- A trigger: refuses every change of the audit log, which is append-only (decisions: Audit). Only forget_guild,
-- forget_person and keep_audit_partitions change it: they say so in a setting that ends with their transaction. That
-- setting alone lets no process in, because its login has no right to change the table.
CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'TRUNCATE' AND current_setting('bailiff.forgetting', true) = 'yes' THEN
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  RAISE EXCEPTION 'The audit log is append-only: % is refused.', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;
