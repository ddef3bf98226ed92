import { OrderStatus } from '@svc-gateway/contract/generated/Trd_Common_pb';

/** The statuses of orders that trade no more. One that is disabled may be enabled again; the trades of one that is filled may be taken back. */
export const finalStatuses: ReadonlySet<number> = new Set([
  OrderStatus.OrderStatus_SubmitFailed,
  OrderStatus.OrderStatus_Filled_All,
  OrderStatus.OrderStatus_Cancelled_Part,
  OrderStatus.OrderStatus_Cancelled_All,
  OrderStatus.OrderStatus_Failed,
  OrderStatus.OrderStatus_Deleted,
  OrderStatus.OrderStatus_FillCancelled,
]);
