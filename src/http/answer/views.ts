import { type Platform, switchesOf } from '../../domain/assumptions.ts';
import { availability } from '../../domain/availability.ts';
import { formatDate, formatInstant } from '../../domain/calendar.ts';
import { balanceOf, type Contract, customerTotalCents, type PaymentAttempt } from '../../domain/contract.ts';
import type { Installment } from '../../domain/installment.ts';
import { type Account, type ApiKey, merchantName } from '../../domain/merchant.ts';
import { quote } from '../../domain/quote.ts';
import { schedule } from '../../domain/schedule.ts';
import { effectiveStatus, type Session } from '../../domain/session.ts';
import type { Wire as Wires } from '../../operations/wire.ts';

type Wire<Name extends keyof Wires> = Wires[Name];

export type HttpViews = ReturnType<typeof createViews>;

/** Views: from the domain to the wire. `base.url` is known once the server listens. */
export function createViews(base: { readonly url: string }) {
  return { session, hosted, contract, installment, ping, config, attempt, key };

  function session(s: Session, now: number): Wire<'CheckoutSession'> {
    return {
      id: s.token,
      status: effectiveStatus(s, now),
      order_reference: s.orderReference,
      total_amount: s.totalCents,
      down_payment_amount: s.downPaymentCents,
      down_payment_percentage: s.terms.downPaymentPercentage,
      checkout_url: `${base.url}/checkout/${s.token}`,
      return_url: s.returnUrl,
      cancel_url: s.cancelUrl,
      expires_at: formatInstant(s.expiresAt),
      created_at: formatInstant(s.createdAt),
      metadata: s.metadata,
    };
  }
}

/** What the customer's page may read: none of the merchant's own data (decisions §5). */
function hosted(
  s: Session,
  account: Account,
  installments: readonly Installment[] | null,
  now: number,
): Wire<'HostedSession'> {
  const figures = quote(s.totalCents, s.terms);
  return {
    id: s.token,
    status: effectiveStatus(s, now),
    mode: account.mode,
    merchant: { name: merchantName(account.merchant) },
    total_amount: s.totalCents,
    down_payment_amount: s.downPaymentCents,
    down_payment_percentage: s.terms.downPaymentPercentage,
    reservation_fee_amount: s.reservationFeeCents,
    customer_total: figures.customerTotalCents,
    due_today_amount: figures.cartCaptureCents,
    installments: (installments ?? schedule(figures, s.terms.installmentCadence, now)).map(installment),
    cancel_url: s.cancelUrl,
    expires_at: formatInstant(s.expiresAt),
  };
}

function contract(c: Contract, installments: readonly Installment[]): Wire<'Contract'> {
  const { paidCents, remainingCents } = balanceOf(c, installments);
  return {
    reference: c.reference,
    order_reference: c.orderReference,
    status: c.status,
    customer_name: c.customerName,
    customer_email: c.customerEmail,
    customer_state: c.customerState,
    total_amount: c.totalCents,
    reservation_fee_amount: c.reservationFeeCents,
    customer_total: customerTotalCents(c),
    down_payment_amount: c.downPaymentCents,
    paid_amount: paidCents,
    remaining_amount: remainingCents,
    installments: installments.map(installment),
    started_at: instantOrNull(c.startedAt),
    completed_at: instantOrNull(c.completedAt),
    defaulted_at: instantOrNull(c.defaultedAt),
    cancelled_at: instantOrNull(c.cancelledAt),
    created_at: formatInstant(c.createdAt),
    metadata: c.metadata,
  };
}

/** A planned capture without a contract has the status `upcoming`. */
function installment(
  i: Pick<Installment, 'sequence' | 'type' | 'number' | 'amountCents' | 'dueAt'> & Partial<Installment>,
): Wire<'PlanInstallment'> {
  return {
    sequence: i.sequence,
    type: i.type,
    installment_number: i.number,
    amount: i.amountCents,
    due_date: formatDate(i.dueAt),
    status: i.status ?? 'upcoming',
    paid_at: instantOrNull(i.paidAt ?? null),
  };
}

function ping({ clientId, merchant, settings }: Account, key: ApiKey, platform: Platform): Wire<'Ping'> {
  return {
    client_id: clientId,
    legal_name: merchant.legal_name,
    dba: merchant.dba,
    scopes: [...key.scopes],
    key_prefix: key.prefix,
    layaway: availability(platform, switchesOf(settings), merchant.state),
  };
}

function config({ clientId, merchant, mode, settings }: Account, platform: Platform): Wire<'MerchantConfiguration'> {
  return {
    merchant: { client_id: clientId, legal_name: merchant.legal_name, dba: merchant.dba },
    mode,
    layaway: availability(platform, switchesOf(settings), merchant.state),
    terms: {
      min_order_amount: settings.min_order_amount,
      max_order_amount: settings.max_order_amount,
      down_payment_percentage: settings.down_payment_percentage,
    },
    session_ttl_minutes: settings.session_ttl_minutes,
  };
}

const attempt = (a: PaymentAttempt) => ({
  reference: a.reference,
  sequence: a.sequence,
  number: a.number,
  outcome: a.outcome,
  amount: a.amountCents,
  late_charge_amount: a.lateChargeCents,
  at: formatInstant(a.at),
});

const key = (k: ApiKey) => ({
  id: k.token,
  name: k.name,
  key_prefix: k.prefix,
  scopes: k.scopes,
  created_at: formatInstant(k.createdAt),
  revoked_at: instantOrNull(k.revokedAt),
});

export const instantOrNull = (at: number | null) => (at === null ? null : formatInstant(at));
