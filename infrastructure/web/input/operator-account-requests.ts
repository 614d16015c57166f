import { OperatorRequest, RoleRequest } from "../api/requests/operators.ts"
import { decodeFields } from "./decode.ts"

export const decodeOperator = decodeFields(OperatorRequest)
export const decodeRole = decodeFields(RoleRequest)
