-- The audit log refuses every change, and notifies listeners of new rows.
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();

-- Partitions inherit triggers on rows, but none on TRUNCATE. Those of a day get theirs from keep_audit_partitions().
DO $$
DECLARE
  partition regclass;
BEGIN
  FOR partition IN SELECT relid FROM pg_partition_tree('audit') LOOP
    EXECUTE format('CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON %s
                    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()', partition);
  END LOOP;
END
$$;

-- Only for writes, because there are many reads and no page shows them live.
CREATE TRIGGER audit_told AFTER INSERT ON audit_writes
  FOR EACH ROW EXECUTE FUNCTION tell_of_audit();
