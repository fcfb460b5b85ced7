/**
 * decisions §3 and §4 once more, written from the documents alone and as plainly as can be: what every plan and
 * session should look like, and which events and emails each step should leave. It shares no code with `src`.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface Terms {
  down_payment_percentage: number;
  reservation_fee_percentage: number;
  session_ttl_minutes: number;
  installment_count: number;
  installment_cadence: 'weekly' | 'biweekly' | 'monthly';
  collection_retry_hours: number;
  grace_days: number;
  late_charge_percentage: number;
  late_charge_max_amount: number;
  default_days: number;
}

export interface ExpectedSession {
  readonly id: number;
  readonly token: string;
  readonly preview: boolean;
  readonly total: number;
  readonly terms: Terms;
  readonly expiresAt: number;
  status: string;
  plan: ExpectedPlan | null;
}

export interface ExpectedInstallment {
  readonly sequence: number;
  readonly amount: number;
  dueAt: number;
  status: string;
  paidAt: number | null;
  attempts: number;
  lateCharge: number;
  defaultAt: number | null;
  next: { step: 'collect' | 'retry' | 'grace' | 'default'; at: number } | null;
}

export interface ExpectedPlan {
  readonly id: number;
  readonly reference: string;
  readonly session: ExpectedSession;
  readonly preview: boolean;
  readonly email: string;
  readonly installments: ExpectedInstallment[];
  readonly downPayment: number;
  readonly fee: number;
  outcomes: string[];
  status: string;
  endedAt: number | null;
  startedAt: number | null;
  readonly createdAt: number;
}

/** What one account should hold. */
export class Oracle {
  now: number;
  terms: Terms;
  readonly sessions: ExpectedSession[] = [];
  readonly plans: ExpectedPlan[] = [];
  /** `instant type subject attempt late`, since the last look. */
  events: string[] = [];
  /** `instant template recipient`, since the last look. */
  emails: string[] = [];
  readonly touched = new Set<ExpectedPlan>();
  /** What can still fall due. */
  private readonly live = new Set<ExpectedPlan>();
  private readonly pending = new Set<ExpectedSession>();

  constructor(now: number, terms: Terms) {
    this.now = now;
    this.terms = terms;
  }

  effective({ status, expiresAt }: ExpectedSession): string {
    return status === 'pending' && this.now >= expiresAt ? 'expired' : status;
  }

  open(id: number, token: string, total: number, preview: boolean): ExpectedSession {
    const expiresAt = this.now + this.terms.session_ttl_minutes * MINUTE;
    const session = { id, token, preview, total, terms: { ...this.terms }, expiresAt, status: 'pending', plan: null };
    this.sessions.push(session);
    this.pending.add(session);
    return session;
  }

  accept(session: ExpectedSession, id: number, reference: string, email: string): ExpectedPlan {
    this.pending.delete(session);
    session.status = 'decision_made';
    const { total, terms } = session;
    const downPayment = Math.round((total * terms.down_payment_percentage) / 100);
    const fee = Math.round((total * terms.reservation_fee_percentage) / 100);
    const count = terms.installment_count;
    const rest = total - downPayment;
    const amounts = [
      downPayment + fee,
      ...Array.from({ length: count }, (_, index) => Math.floor(rest / count) + (index < rest % count ? 1 : 0)),
    ];
    const plan: ExpectedPlan = {
      id,
      reference,
      session,
      preview: session.preview,
      email,
      downPayment,
      fee,
      installments: amounts.map((amount, index) => ({
        sequence: index + 1,
        amount,
        dueAt: dueAt(this.now, terms.installment_cadence, index),
        status: index === 0 ? 'due' : 'upcoming',
        paidAt: null,
        attempts: 0,
        lateCharge: 0,
        defaultAt: null,
        next: null,
      })),
      outcomes: [],
      status: 'pending',
      endedAt: null,
      startedAt: null,
      createdAt: this.now,
    };
    session.plan = plan;
    this.plans.push(plan);
    this.tellSession('session.decision_made', session);
    this.touched.add(plan);
    return plan;
  }

  pay(session: ExpectedSession, outcome: string) {
    const plan = session.plan as ExpectedPlan;
    const [cart, ...rest] = plan.installments as [ExpectedInstallment, ...ExpectedInstallment[]];
    cart.attempts += 1;
    this.touched.add(plan);
    if (outcome === 'fail') return;
    for (const [index, installment] of plan.installments.entries()) {
      installment.dueAt = dueAt(this.now, session.terms.installment_cadence, index);
    }
    cart.status = 'paid';
    cart.paidAt = this.now;
    for (const installment of rest) installment.next = { step: 'collect', at: installment.dueAt };
    plan.status = 'active';
    plan.startedAt = this.now;
    session.status = 'completed';
    this.live.add(plan);
    this.tell(plan, 'contract.activated');
    this.tellSession('session.completed', session);
    this.mail(plan, 'plan_confirmation');
  }

  backOut(session: ExpectedSession) {
    this.pending.delete(session);
    session.status = 'cancelled';
    if (session.plan) this.end(session.plan, 'cancelled');
    this.tellSession('session.cancelled', session);
  }

  cancel(plan: ExpectedPlan, merchant: string) {
    this.end(plan, 'cancelled');
    this.tell(plan, 'contract.cancelled');
    this.mail(plan, 'plan_cancelled_merchant', merchant);
    this.mail(plan, 'plan_cancelled_customer');
  }

  overdue = (plan: ExpectedPlan) =>
    plan.status === 'active'
      ? plan.installments.filter(({ status }) => status === 'past_due' || status === 'delinquent')
      : [];

  settle(plan: ExpectedPlan, installment: ExpectedInstallment) {
    installment.attempts += 1;
    this.land(plan, installment);
  }

  /** The instant of the next thing due, or null. */
  nextAt(): number | null {
    return this.next()?.at ?? null;
  }

  /** The same without previews, which make no event. */
  nextEventAt(): number | null {
    return this.next({ withPreviews: false })?.at ?? null;
  }

  advance(target: number) {
    for (let thing = this.next(); thing && thing.at <= target; thing = this.next()) {
      this.now = Math.max(this.now, thing.at);
      thing.happen();
    }
    this.now = target;
  }

  /** At one instant installments come before sessions (decisions §6), older ones first. */
  private next({ withPreviews } = { withPreviews: true }): { at: number; happen(): void } | null {
    let plan: ExpectedPlan | null = null;
    let due: ExpectedInstallment | null = null;
    let at = Number.POSITIVE_INFINITY;
    for (const candidate of this.live) {
      if (candidate.preview && !withPreviews) continue;
      for (const installment of candidate.installments) {
        if (
          installment.next &&
          (installment.next.at < at || (installment.next.at === at && plan && candidate.id < plan.id))
        ) {
          [plan, due, at] = [candidate, installment, installment.next.at];
        }
      }
    }
    let lapsing: ExpectedSession | null = null;
    for (const session of this.pending) {
      if (session.preview && !withPreviews) continue;
      if (session.expiresAt < at || (lapsing && session.expiresAt === at && session.id < lapsing.id)) {
        [lapsing, at] = [session, session.expiresAt];
      }
    }
    if (lapsing) return { at, happen: () => this.lapse(lapsing) };
    return plan && due ? { at, happen: () => this.happen(plan, due) } : null;
  }

  private lapse(session: ExpectedSession) {
    this.pending.delete(session);
    session.status = 'expired';
    this.tellSession('session.expired', session);
  }

  private happen(plan: ExpectedPlan, installment: ExpectedInstallment) {
    this.touched.add(plan);
    const { collection_retry_hours, grace_days, default_days, late_charge_percentage, late_charge_max_amount } =
      this.terms;
    const step = installment.next?.step;
    if (step === 'default') {
      this.end(plan, 'defaulted');
      this.tell(plan, 'contract.defaulted');
      this.mail(plan, 'plan_defaulted');
      return;
    }
    if (step === 'grace') {
      installment.status = 'delinquent';
      installment.lateCharge = Math.min(
        Math.round((installment.amount * late_charge_percentage) / 100),
        late_charge_max_amount,
      );
      installment.next = { step: 'default', at: installment.defaultAt as number };
      this.tell(plan, 'installment.delinquent', installment, null);
      this.mail(plan, 'delinquent_notice');
      return;
    }
    installment.status = 'due';
    installment.attempts += 1;
    if ((plan.outcomes.shift() ?? 'pay') === 'pay') return this.land(plan, installment);
    this.tell(plan, 'installment.payment_failed', installment, installment.attempts);
    if (step === 'collect') {
      installment.next = { step: 'retry', at: this.now + collection_retry_hours * HOUR };
      return;
    }
    installment.status = 'past_due';
    installment.defaultAt = this.now + default_days * DAY;
    const graceAt = this.now + grace_days * DAY;
    installment.next =
      graceAt <= installment.defaultAt
        ? { step: 'grace', at: graceAt }
        : { step: 'default', at: installment.defaultAt };
    this.tell(plan, 'installment.past_due', installment, installment.attempts);
    this.mail(plan, 'past_due_notice');
  }

  private land(plan: ExpectedPlan, installment: ExpectedInstallment) {
    this.touched.add(plan);
    installment.status = 'paid';
    installment.paidAt = this.now;
    installment.next = null;
    this.tell(plan, 'installment.paid', installment, installment.attempts);
    this.mail(plan, 'installment_receipt');
    if (plan.installments.some(({ status }) => status !== 'paid')) return;
    this.end(plan, 'completed');
    this.tell(plan, 'contract.completed');
    this.mail(plan, 'plan_completed');
  }

  private end(plan: ExpectedPlan, status: string) {
    this.live.delete(plan);
    plan.status = status;
    plan.endedAt = this.now;
    for (const installment of plan.installments) installment.next = null;
    this.touched.add(plan);
  }

  private tellSession(type: string, { preview, token }: ExpectedSession) {
    if (!preview) this.events.push(`${this.now} ${type} ${token}`);
  }

  private tell(plan: ExpectedPlan, type: string, installment?: ExpectedInstallment, attempt?: number | null) {
    if (plan.preview) return;
    const subject = installment ? `${plan.reference}#${installment.sequence - 1}` : plan.reference;
    const figures = installment ? ` ${attempt} ${installment.lateCharge}` : '';
    this.events.push(`${this.now} ${type} ${subject}${figures}`);
  }

  private mail(plan: ExpectedPlan, template: string, to = plan.email) {
    if (!plan.preview) this.emails.push(`${this.now} ${template} ${to} ${plan.reference}`);
  }
}

function dueAt(anchor: number, cadence: Terms['installment_cadence'], index: number): number {
  const date = new Date(anchor);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (cadence !== 'monthly') return Date.UTC(year, month, day + index * (cadence === 'weekly' ? 7 : 14));
  const lastDay = new Date(Date.UTC(year, month + index + 1, 0)).getUTCDate();
  return Date.UTC(year, month + index, Math.min(day, lastDay));
}
