import {
  AccountRequest,
  BranchChangeRequest,
  BranchRequest,
  LinkRequest,
  ReasonRequest,
  RotateRequest,
  ServiceChangeRequest,
  ServiceRequest
} from "../api/requests/provisioning.ts"
import { decodeFields } from "./decode.ts"

export const decodeAccount = decodeFields(AccountRequest)
export const decodeService = decodeFields(ServiceRequest)
export const decodeServiceChange = decodeFields(ServiceChangeRequest)
export const decodeBranch = decodeFields(BranchRequest)
export const decodeBranchChange = decodeFields(BranchChangeRequest)
export const decodeLink = decodeFields(LinkRequest)
export const decodeReason = decodeFields(ReasonRequest)
export const decodeRotation = decodeFields(RotateRequest)
