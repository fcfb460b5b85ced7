/**
 * SQLite makes a temporary table each time that it checks an `IN` with more than two values. The checks that run on
 * every step of a checkout or a plan use comparisons instead. Only the text of the tables changes; their rows stay.
 */
export const plainLists = /* sql */ `
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql,
  'CHECK (status IN (''pending'', ''decision_made'', ''completed'', ''cancelled'', ''expired''))',
  'CHECK (status = ''pending'' OR status = ''decision_made'' OR status = ''completed'' OR status = ''cancelled'' OR status = ''expired'')')
WHERE name = 'sessions';
UPDATE sqlite_schema SET sql = replace(sql,
  'CHECK (installment_cadence IN (''weekly'', ''biweekly'', ''monthly''))',
  'CHECK (installment_cadence = ''weekly'' OR installment_cadence = ''biweekly'' OR installment_cadence = ''monthly'')')
WHERE name = 'sessions';
UPDATE sqlite_schema SET sql = replace(sql,
  'new.status IN (''decision_made'', ''cancelled'', ''expired'')',
  '(new.status = ''decision_made'' OR new.status = ''cancelled'' OR new.status = ''expired'')')
WHERE name = 'session_status_moves';
UPDATE sqlite_schema SET sql = replace(sql,
  'CHECK (status IN (''pending'', ''active'', ''completed'', ''cancelled'', ''defaulted''))',
  'CHECK (status = ''pending'' OR status = ''active'' OR status = ''completed'' OR status = ''cancelled'' OR status = ''defaulted'')')
WHERE name = 'contracts';
UPDATE sqlite_schema SET sql = replace(sql,
  'new.status IN (''completed'', ''cancelled'', ''defaulted'')',
  '(new.status = ''completed'' OR new.status = ''cancelled'' OR new.status = ''defaulted'')')
WHERE name = 'contract_status_moves';
UPDATE sqlite_schema SET sql = replace(sql,
  'CHECK (status IN (''upcoming'', ''due'', ''paid'', ''past_due'', ''delinquent''))',
  'CHECK (status = ''upcoming'' OR status = ''due'' OR status = ''paid'' OR status = ''past_due'' OR status = ''delinquent'')')
WHERE name = 'installments';
UPDATE sqlite_schema SET sql = replace(sql,
  'CHECK (next_step IN (''collect'', ''retry'', ''grace'', ''default''))',
  'CHECK (next_step = ''collect'' OR next_step = ''retry'' OR next_step = ''grace'' OR next_step = ''default'')')
WHERE name = 'installments';
UPDATE sqlite_schema SET sql = replace(sql,
  'CHECK (status IN (''pending'', ''delivered'', ''failed''))',
  'CHECK (status = ''pending'' OR status = ''delivered'' OR status = ''failed'')')
WHERE name = 'deliveries';
UPDATE sqlite_schema SET sql = replace(sql,
  'status NOT IN (''active'', ''completed'', ''defaulted'')',
  'status IN (''pending'', ''cancelled'')')
WHERE name = 'contracts';
PRAGMA writable_schema = RESET;
`;
