import type { BlockReason } from '../domain/availability.ts';
import type { ContractStatus } from '../domain/contract.ts';
import type { InstallmentStatus } from '../domain/installment.ts';
import type { Mode } from '../domain/mode.ts';
import type { CaptureType } from '../domain/schedule.ts';
import type { Scope } from '../domain/scope.ts';
import type { SessionStatus } from '../domain/session.ts';

/**
 * Bodies of `/v1` as a caller sees them. Written out, so that the published types stand alone and read well in an editor;
 * `bodies.test.ts` holds them equal to the schemas that validate.
 */

export interface CheckoutSession {
  readonly id: string;
  readonly status: SessionStatus;
  readonly order_reference: string;
  readonly total_amount: number;
  readonly down_payment_amount: number;
  readonly down_payment_percentage: number;
  readonly checkout_url: string;
  readonly return_url: string;
  readonly cancel_url: string;
  readonly expires_at: string;
  readonly created_at: string;
  readonly metadata: Metadata;
}

export interface Contract {
  readonly reference: string;
  readonly order_reference: string | null;
  readonly status: ContractStatus;
  readonly customer_name: string;
  readonly customer_email: string;
  readonly customer_state: string | null;
  readonly total_amount: number;
  readonly reservation_fee_amount: number;
  readonly customer_total: number;
  readonly down_payment_amount: number;
  readonly paid_amount: number;
  readonly remaining_amount: number;
  readonly installments: readonly PlanInstallment[];
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly defaulted_at: string | null;
  readonly cancelled_at: string | null;
  readonly created_at: string;
  readonly metadata: Metadata;
}

export interface PlanInstallment {
  readonly sequence: number;
  readonly type: CaptureType;
  readonly installment_number: number | null;
  readonly amount: number;
  readonly due_date: string;
  readonly status: InstallmentStatus;
  readonly paid_at: string | null;
}

export interface Metadata {
  readonly [key: string]: string;
}

export interface Ping {
  readonly client_id: string;
  readonly legal_name: string;
  readonly dba: string | null;
  readonly scopes: readonly Scope[];
  readonly key_prefix: string;
  readonly layaway: Availability;
}

export interface MerchantConfiguration {
  readonly merchant: { readonly client_id: string; readonly legal_name: string; readonly dba: string | null };
  readonly mode: Mode;
  readonly layaway: Availability;
  readonly terms: {
    readonly min_order_amount: number;
    readonly max_order_amount: number;
    readonly down_payment_percentage: number;
  };
  readonly session_ttl_minutes: number;
}

export interface Availability {
  readonly available: boolean;
  readonly reason: BlockReason | null;
  readonly message: string | null;
}

export interface SessionCreate {
  readonly order_reference: string;
  readonly total_amount: number;
  readonly return_url: string;
  readonly cancel_url: string;
  readonly customer_email?: string | null;
  readonly customer_state?: string | null;
  readonly metadata?: Metadata | null;
}

export interface ContractUpdate {
  readonly order_reference?: string;
  readonly metadata?: Metadata | null;
}

export interface PageLinks {
  readonly first: string | null;
  readonly last: string | null;
  readonly prev: string | null;
  readonly next: string | null;
}

export interface PageMeta {
  readonly current_page: number;
  readonly from: number | null;
  readonly last_page: number;
  readonly links: readonly {
    readonly url: string | null;
    readonly label: string;
    readonly page: number | null;
    readonly active: boolean;
  }[];
  readonly path: string;
  readonly per_page: number;
  readonly to: number | null;
  readonly total: number;
}
