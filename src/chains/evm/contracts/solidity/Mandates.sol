// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

import {Faults} from "./Faults.sol";
import {Months} from "./Months.sol";

/// @title Mandates: the limits that a payer has signed
/// @notice NOT AUDITED. A mandate is EIP-712 typed data that a payer signs once: how much, how often, from when to
/// when, and to whom. This contract checks a charge against its mandate and stores the charge in two storage slots: the
/// hash of the mandate, and what was charged. A mandate with a limit of 30 days has a slot more for each bucket of time.
/// It moves no money.
///
/// The slots belong to a payer, a merchant and an agreement (a subscription, or one payment). All mandates of an agreement
/// share them. The newest used mandate is in force, and older ones can never be used again: a payer who signs new terms is not charged
/// under both.
abstract contract Mandates is Faults {
    /// @notice The data that a payer signs.
    /// @param payer the signer: an account with a key, or a contract (EIP-1271)
    /// @param merchant hash of the merchant's id and mode; the salt of its operators
    /// @param token the ERC-20 contract
    /// @param perCharge the most of one charge, in base units
    /// @param charges the most charges in all; 0: until it is revoked
    /// @param interval seconds from one charge to the next; 0: no rhythm, or one of months
    /// @param months calendar months (UTC) from one charge to the next; 0: no rhythm, or one of seconds
    /// @param start no charge before this moment, in Unix seconds; the rhythm is counted from it
    /// @param end no charge after this moment; 0: none
    /// @param issuedAt when the payer was asked to sign; of the mandates of one agreement, the latest counts
    /// @param platform the recipient of the platform's fee
    /// @param feeBps the most of a charge for the platform, in hundredths of a percent
    /// @param payees the other recipients; announced ones can be paid as well
    /// @param agreement identifies the subscription or payment; nobody can guess it before its first charge
    /// @param terms the hash of the terms that the payer was shown
    /// @param per30Days the most of all charges in any 30 days, in base units; 0: no such limit, and the signed type does
    /// not have this field
    struct Mandate {
        address payer;
        bytes32 merchant;
        address token;
        uint256 perCharge;
        uint32 charges;
        uint32 interval;
        uint16 months;
        uint40 start;
        uint40 end;
        uint40 issuedAt;
        address platform;
        uint16 feeBps;
        address[] payees;
        bytes32 agreement;
        bytes32 terms;
        uint256 per30Days;
    }

    /// @notice A charge under a mandate.
    /// @param mandate the signed mandate
    /// @param signature the payer's signature; read only for the first charge under the mandate
    /// @param cycle the number of the charge within its agreement, from 1; each number is charged once
    /// @param to the recipients; `to[i]` gets `amounts[i]`
    /// @param amounts an amount of zero is a share without a transfer; the event has it all the same
    struct MandateCharge {
        Mandate mandate;
        bytes signature;
        uint24 cycle;
        address[] to;
        uint256[] amounts;
    }

    /// @param mandate the hash of the mandate in force; 0: none was used, or the agreement is revoked
    struct Agreement {
        bytes32 mandate;
        State state;
    }

    /// @dev The state of an agreement, in one storage slot.
    /// @param issuedAt the moment of the mandate in force; REVOKED after a revocation
    /// @param due when the rhythm expects the next charge
    /// @param count charges made under the mandate in force
    /// @param last the greatest cycle charged
    /// @param window bit n: whether cycle `last - n` is charged
    struct State {
        uint40 issuedAt;
        uint40 due;
        uint24 count;
        uint24 last;
        uint32 window;
    }

    /// @notice The signature is not the payer's.
    error BadSignature(address payer);
    /// @notice The payer has revoked the agreement.
    error Revoked(address payer, bytes32 agreement);
    /// @notice A mandate with a later moment of issue is in force.
    error Superseded(uint256 issuedAt, uint256 inForce);
    /// @notice The charge is before the mandate's start.
    error TooEarly(uint256 start);
    /// @notice The charge is after the mandate's end.
    error TooLate(uint256 end);
    /// @notice A rhythm has seconds or months, and not both.
    error TwoRhythms(uint256 interval, uint256 months);
    /// @notice The rhythm allows the next charge only from `from` on.
    error AheadOfRhythm(uint256 from);
    /// @notice All charges of the mandate have been made.
    error UsedUp(uint256 charges);
    /// @notice More than the mandate allows for one charge.
    error AbovePerCharge(uint256 gross, uint256 perCharge);
    /// @notice With this charge, `sum` would have been taken in 30 days, which is more than the mandate allows.
    error AbovePer30Days(uint256 sum, uint256 per30Days);
    /// @notice More than the mandate allows for the platform, in hundredths of a percent of the charge.
    error AboveFee(uint256 fee, uint256 feeBps);
    /// @notice The mandate does not name this recipient, and no announcement of it has waited long enough.
    error NotPayee(uint256 index, address recipient);
    /// @notice The cycle is too far from the last one: only the last 32 are stored.
    error CycleOutOfRange(uint256 cycle, uint256 last);

    /// @notice The first charge under a mandate, which is in force from now on.
    event MandateUsed(
        bytes32 indexed mandate,
        address indexed payer,
        bytes32 indexed merchant,
        bytes32 agreement
    );
    /// @notice The payer has revoked the agreement for good.
    event AgreementRevoked(address indexed payer, bytes32 indexed merchant, bytes32 indexed agreement);

    /// @notice A charge may be early by at most this, and by at most one interval.
    uint256 public constant MOST_AHEAD = 8 days;
    /// @notice The gas for a contract that checks a signature (EIP-1271).
    uint256 public constant SIGNATURE_GAS = 400_000;

    bytes32 private constant MANDATE_TYPEHASH =
        keccak256(
            "Mandate(address payer,bytes32 merchant,address token,uint256 perCharge,uint32 charges,uint32 interval,"
            "uint16 months,uint40 start,uint40 end,uint40 issuedAt,address platform,uint16 feeBps,address[] payees,"
            "bytes32 agreement,bytes32 terms)"
        );
    bytes32 private constant LIMITED_MANDATE_TYPEHASH =
        keccak256(
            "Mandate(address payer,bytes32 merchant,address token,uint256 perCharge,uint32 charges,uint32 interval,"
            "uint16 months,uint40 start,uint40 end,uint40 issuedAt,address platform,uint16 feeBps,address[] payees,"
            "bytes32 agreement,bytes32 terms,uint256 per30Days)"
        );
    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant NAME_HASH = keccak256("Tideline");
    bytes32 private constant VERSION_HASH = keccak256("1");

    uint40 private constant REVOKED = type(uint40).max;
    uint256 private constant WINDOW = 32;
    /// @dev 30 days are 8 buckets, so the present bucket and the 8 before it have all of any 30 days that end now, and up to
    /// one bucket more.
    uint256 private constant BUCKETS = 8;
    uint256 private constant BUCKET = 30 days / BUCKETS;

    mapping(bytes32 slot => Agreement) private _agreements;
    /// @dev What charges under mandates with a limit of 30 days have taken in each bucket, whichever of the agreement's
    /// mandates it was.
    mapping(bytes32 slot => mapping(uint256 bucket => uint256)) private _taken;

    /// @notice Revokes the caller's agreement with a merchant for good: no mandate of it can be charged again, old or
    /// new.
    function revoke(bytes32 merchant, bytes32 agreement) external {
        Agreement storage known = _agreements[_slotOf(msg.sender, merchant, agreement)];
        (known.mandate, known.state.issuedAt) = (0, REVOKED);
        emit AgreementRevoked(msg.sender, merchant, agreement);
    }

    /// @notice The state of an agreement: the moment of issue of the mandate in force (2^40 - 1: revoked; 0: none),
    /// when the next charge is due, the number of charges under that mandate, and the greatest charged cycle.
    function agreementOf(
        address payer,
        bytes32 merchant,
        bytes32 agreement
    ) external view returns (uint256 issuedAt, uint256 due, uint256 count, uint256 last) {
        State storage known = _agreements[_slotOf(payer, merchant, agreement)].state;
        return (known.issuedAt, known.due, known.count, known.last);
    }

    /// @notice True if a cycle has been charged. A cycle more than 31 before the last one counts as charged.
    function cycleSeen(
        address payer,
        bytes32 merchant,
        bytes32 agreement,
        uint256 cycle
    ) external view returns (bool) {
        State storage known = _agreements[_slotOf(payer, merchant, agreement)].state;
        uint256 last = known.last;
        if (cycle > last) return false;
        return last - cycle >= WINDOW || (known.window >> (last - cycle)) & 1 == 1;
    }

    /// @notice The hash that a payer signs: of a mandate for this router on this chain. It identifies the mandate.
    function mandateHash(Mandate calldata mandate) external view returns (bytes32) {
        return _digest(_structHash(mandate));
    }

    /// @notice The key of a cycle's charge.
    function cycleKey(bytes32 agreement, uint256 cycle) public pure returns (bytes32 key) {
        assembly ("memory-safe") {
            mstore(0x00, agreement)
            mstore(0x20, cycle)
            key := keccak256(0x00, 0x40)
        }
    }

    /// @dev True if charges of this merchant can pay an announced payee. A share with an amount uses the announcement.
    function _useAnnouncement(bytes32 merchant, address payee, uint256 amount) internal virtual returns (bool);

    /// @dev Checks a charge against its mandate, and stores it. Reverts with the error of the rule that it breaks.
    function _useMandate(MandateCharge calldata item, bytes32 key, uint256 gross) internal {
        Mandate calldata mandate = item.mandate;
        if (gross > mandate.perCharge) revert AbovePerCharge(gross, mandate.perCharge);
        if (block.timestamp < mandate.start) revert TooEarly(mandate.start);
        if (mandate.end != 0 && block.timestamp > mandate.end) revert TooLate(mandate.end);
        _checkPayees(item, gross);

        bytes32 slot = _slotOf(mandate.payer, mandate.merchant, mandate.agreement);
        Agreement storage agreement = _agreements[slot];
        State memory known = agreement.state;
        if (known.issuedAt == REVOKED) revert Revoked(mandate.payer, mandate.agreement);
        bytes32 structHash = _structHash(mandate);
        if (agreement.mandate != structHash) {
            _checkNewMandate(item, structHash, known.issuedAt);
            agreement.mandate = structHash;
            (known.issuedAt, known.due, known.count) = (mandate.issuedAt, mandate.start, 0);
        }
        if (mandate.charges != 0 && known.count >= mandate.charges) revert UsedUp(mandate.charges);
        uint256 ahead = mandate.months == 0 ? Math.min(mandate.interval, MOST_AHEAD) : MOST_AHEAD;
        if (block.timestamp + ahead < known.due) revert AheadOfRhythm(known.due - ahead);
        known.due = uint40(_dueAfter(mandate, Math.max(known.due, block.timestamp)));
        ++known.count;
        (known.last, known.window) = _mark(known.last, known.window, item.cycle, key);
        agreement.state = known;
        if (mandate.per30Days != 0) _take(slot, gross, mandate.per30Days);
    }

    /// @dev Counts a charge among those of 30 days, whose sum is `most` at most.
    function _take(bytes32 slot, uint256 gross, uint256 most) private {
        mapping(uint256 bucket => uint256) storage taken = _taken[slot];
        uint256 present = block.timestamp / BUCKET;
        uint256 sum = gross;
        for (uint256 back; back <= BUCKETS; ++back) sum += taken[present - back];
        if (sum > most) revert AbovePer30Days(sum, most);
        taken[present] += gross;
    }

    /// @dev Checks a mandate that is not the one in force, whose moment of issue is `inForce`.
    function _checkNewMandate(MandateCharge calldata item, bytes32 structHash, uint256 inForce) private {
        Mandate calldata mandate = item.mandate;
        // In the state, 0 means "none" and the greatest moment "revoked": no mandate may have either.
        if (mandate.issuedAt <= inForce || mandate.issuedAt == REVOKED) revert Superseded(mandate.issuedAt, inForce);
        if (mandate.interval != 0 && mandate.months != 0) revert TwoRhythms(mandate.interval, mandate.months);
        bytes32 digest = _digest(structHash);
        if (!_isSignedBy(mandate.payer, digest, item.signature)) revert BadSignature(mandate.payer);
        emit MandateUsed(digest, mandate.payer, mandate.merchant, mandate.agreement);
    }

    /// @dev The first date of the rhythm after `moment`, which is not before the mandate's start. Without a rhythm:
    /// `moment`.
    function _dueAfter(Mandate calldata mandate, uint256 moment) private pure returns (uint256) {
        if (mandate.months != 0) return Months.dateAfter(mandate.start, mandate.months, moment);
        if (mandate.interval == 0) return moment;
        return moment - ((moment - mandate.start) % mandate.interval) + mandate.interval;
    }

    /// @dev The last cycle and the window after `cycle` is charged.
    function _mark(
        uint256 last,
        uint256 window,
        uint256 cycle,
        bytes32 key
    ) private pure returns (uint24, uint32) {
        if (cycle == 0) revert CycleOutOfRange(cycle, last);
        if (cycle > last) {
            // A thief could jump ahead to make the cycles in between unusable.
            if (last != 0 && cycle - last >= WINDOW) revert CycleOutOfRange(cycle, last);
            return (uint24(cycle), uint32(last == 0 ? 1 : (window << (cycle - last)) | 1));
        }
        uint256 back = last - cycle;
        if (back >= WINDOW) revert CycleOutOfRange(cycle, last);
        if ((window >> back) & 1 == 1) revert Seen(key);
        return (uint24(last), uint32(window | (1 << back)));
    }

    function _checkPayees(MandateCharge calldata item, uint256 gross) private {
        Mandate calldata mandate = item.mandate;
        address[] calldata payees = mandate.payees;
        uint256 fee;
        for (uint256 i; i < item.to.length; ++i) {
            address to = item.to[i];
            if (to == mandate.platform) fee += item.amounts[i];
            else if (!_isAmong(payees, to) && !_useAnnouncement(mandate.merchant, to, item.amounts[i])) {
                revert NotPayee(i, to);
            }
        }
        // An overflow reverts the charge. Only absurd amounts overflow.
        if (fee * 10_000 > gross * mandate.feeBps) revert AboveFee(fee, mandate.feeBps);
    }

    function _isAmong(address[] calldata payees, address to) private pure returns (bool) {
        for (uint256 i; i < payees.length; ++i) if (payees[i] == to) return true;
        return false;
    }

    /// @dev An account with code may have a key as well (EIP-7702), so the key is tried first.
    function _isSignedBy(address payer, bytes32 digest, bytes calldata signature) private view returns (bool) {
        (address recovered, ECDSA.RecoverError failure, ) = ECDSA.tryRecoverCalldata(digest, signature);
        if (failure == ECDSA.RecoverError.NoError && recovered == payer) return true;
        if (payer.code.length == 0) return false;
        bytes memory data = abi.encodeCall(IERC1271.isValidSignature, (digest, signature));
        bool success;
        bytes32 answer;
        assembly ("memory-safe") {
            success := staticcall(SIGNATURE_GAS, payer, add(data, 0x20), mload(data), 0x00, 0x20)
            success := and(success, gt(returndatasize(), 0x1f))
            answer := mload(0x00)
        }
        return success && answer == bytes32(IERC1271.isValidSignature.selector);
    }

    function _slotOf(address payer, bytes32 merchant, bytes32 agreement) private pure returns (bytes32) {
        return keccak256(abi.encode(payer, merchant, agreement));
    }

    /// @dev The EIP-712 hash of a mandate: its type, and its words as they are in the call data, with the hash of the payees
    /// in place of their offset. A word with bits that its type does not have gives a hash that nobody has signed.
    function _structHash(Mandate calldata mandate) private pure returns (bytes32 result) {
        address[] calldata payees = mandate.payees;
        bool isLimited = mandate.per30Days != 0;
        bytes32 typeHash = isLimited ? LIMITED_MANDATE_TYPEHASH : MANDATE_TYPEHASH;
        assembly ("memory-safe") {
            let data := mload(0x40)
            let size := shl(5, payees.length)
            calldatacopy(data, payees.offset, size)
            let payeesHash := keccak256(data, size)
            mstore(data, typeHash)
            calldatacopy(add(data, 0x20), mandate, 0x200)
            mstore(add(data, 0x1a0), payeesHash)
            result := keccak256(data, add(0x200, shl(5, isLimited)))
        }
    }

    function _digest(bytes32 structHash) private view returns (bytes32) {
        bytes32 domain = keccak256(abi.encode(DOMAIN_TYPEHASH, NAME_HASH, VERSION_HASH, block.chainid, address(this)));
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }
}
