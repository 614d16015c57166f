import {
  AccountRequest,
  BranchChangeRequest,
  BranchRequest,
  ReasonRequest,
  ServiceChangeRequest,
  ServiceRequest
} from "../api/requests/provisioning.ts"
import { decodeFields } from "./decode.ts"

export const decodeAccount = decodeFields(AccountRequest)
export const decodeService = decodeFields(ServiceRequest)
export const decodeServiceChange = decodeFields(ServiceChangeRequest)
export const decodeBranch = decodeFields(BranchRequest)
export const decodeBranchChange = decodeFields(BranchChangeRequest)
export const decodeReason = decodeFields(ReasonRequest)
