// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

import {Faults} from "./Faults.sol";

/// @title Mandates: the limits that a payer has signed
/// @notice NOT AUDITED. A mandate is EIP-712 typed data that a payer signs once: how much, how often, from when to
/// when, and to whom. This contract checks a charge against its mandate and stores the charge in one storage slot. It
/// moves no money.
///
/// A slot belongs to a payer, a merchant and an agreement (a subscription, or one payment). All mandates of an agreement share
/// it. The newest used mandate is in force, and older ones can never be used again: a payer who signs new terms is not charged
/// under both.
abstract contract Mandates is Faults {
    /// @notice The data that a payer signs.
    /// @param payer the signer: an account with a key, or a contract (EIP-1271)
    /// @param merchant hash of the merchant's id and mode; the salt of its operators
    /// @param token the ERC-20 contract
    /// @param perCharge the most of one charge, in base units
    /// @param charges the most charges in all; 0: until it is revoked
    /// @param interval seconds from one charge to the next; 0: no rhythm
    /// @param start no charge before this moment, in Unix seconds
    /// @param end no charge after this moment; 0: none
    /// @param issuedAt when the payer was asked to sign; of the mandates of one agreement, the latest counts
    /// @param platform the recipient of the platform's fee
    /// @param feeBps the most of a charge for the platform, in hundredths of a percent
    /// @param payees the other recipients; announced ones can be paid as well
    /// @param agreement identifies the subscription or payment; nobody can guess it before its first charge
    /// @param terms the hash of the terms that the payer was shown
    struct Mandate {
        address payer;
        bytes32 merchant;
        address token;
        uint256 perCharge;
        uint32 charges;
        uint32 interval;
        uint40 start;
        uint40 end;
        uint40 issuedAt;
        address platform;
        uint16 feeBps;
        address[] payees;
        bytes32 agreement;
        bytes32 terms;
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

    /// @dev The state of an agreement.
    /// @param tag the first bytes of the hash of the mandate in force; 0: none was used, or the agreement is revoked
    /// @param issuedAt the moment of the mandate in force; REVOKED after a revocation
    /// @param due when the rhythm expects the next charge
    /// @param count charges made under the mandate in force
    /// @param last the greatest cycle charged
    /// @param window bit n: whether cycle `last - n` is charged
    struct Agreement {
        uint96 tag;
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
    /// @notice The rhythm allows the next charge only from `from` on.
    error AheadOfRhythm(uint256 from);
    /// @notice All charges of the mandate have been made.
    error UsedUp(uint256 charges);
    /// @notice More than the mandate allows for one charge.
    error AbovePerCharge(uint256 gross, uint256 perCharge);
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
            "uint40 start,uint40 end,uint40 issuedAt,address platform,uint16 feeBps,address[] payees,"
            "bytes32 agreement,bytes32 terms)"
        );
    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant NAME_HASH = keccak256("Tideline");
    bytes32 private constant VERSION_HASH = keccak256("1");

    uint40 private constant REVOKED = type(uint40).max;
    uint256 private constant WINDOW = 32;

    mapping(bytes32 slot => Agreement) private _agreements;

    /// @notice Revokes the caller's agreement with a merchant for good: no mandate of it can be charged again, old or
    /// new.
    function revoke(bytes32 merchant, bytes32 agreement) external {
        Agreement storage known = _agreements[_slotOf(msg.sender, merchant, agreement)];
        (known.tag, known.issuedAt) = (0, REVOKED);
        emit AgreementRevoked(msg.sender, merchant, agreement);
    }

    /// @notice The state of an agreement: the moment of issue of the mandate in force (2^40 - 1: revoked; 0: none),
    /// when the next charge is due, the number of charges under that mandate, and the greatest charged cycle.
    function agreementOf(
        address payer,
        bytes32 merchant,
        bytes32 agreement
    ) external view returns (uint256 issuedAt, uint256 due, uint256 count, uint256 last) {
        Agreement storage known = _agreements[_slotOf(payer, merchant, agreement)];
        return (known.issuedAt, known.due, known.count, known.last);
    }

    /// @notice True if a cycle has been charged. A cycle more than 31 before the last one counts as charged.
    function cycleSeen(
        address payer,
        bytes32 merchant,
        bytes32 agreement,
        uint256 cycle
    ) external view returns (bool) {
        Agreement storage known = _agreements[_slotOf(payer, merchant, agreement)];
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

    /// @dev True if charges of this merchant can pay an announced payee.
    function _isAnnounced(bytes32 merchant, address payee) internal view virtual returns (bool);

    /// @dev Checks a charge against its mandate, and stores it. Reverts with the error of the rule that it breaks.
    function _useMandate(MandateCharge calldata item, bytes32 key, uint256 gross) internal {
        Mandate calldata mandate = item.mandate;
        if (gross > mandate.perCharge) revert AbovePerCharge(gross, mandate.perCharge);
        if (block.timestamp < mandate.start) revert TooEarly(mandate.start);
        if (mandate.end != 0 && block.timestamp > mandate.end) revert TooLate(mandate.end);
        _checkPayees(item, gross);

        bytes32 slot = _slotOf(mandate.payer, mandate.merchant, mandate.agreement);
        Agreement memory known = _agreements[slot];
        bytes32 structHash = _structHash(mandate);
        uint96 tag = uint96(bytes12(structHash));
        if (known.issuedAt == REVOKED) revert Revoked(mandate.payer, mandate.agreement);
        bool isInForce = known.issuedAt != 0 && known.issuedAt == mandate.issuedAt && known.tag == tag;
        if (!isInForce) {
            // In the state, 0 means "none" and the greatest moment "revoked": no mandate may have either.
            if (mandate.issuedAt <= known.issuedAt || mandate.issuedAt == REVOKED) {
                revert Superseded(mandate.issuedAt, known.issuedAt);
            }
            bytes32 digest = _digest(structHash);
            if (!_isSignedBy(mandate.payer, digest, item.signature)) revert BadSignature(mandate.payer);
            emit MandateUsed(digest, mandate.payer, mandate.merchant, mandate.agreement);
            (known.tag, known.issuedAt, known.due, known.count) = (tag, mandate.issuedAt, mandate.start, 0);
        }
        if (mandate.charges != 0 && known.count >= mandate.charges) revert UsedUp(mandate.charges);
        uint256 ahead = Math.min(mandate.interval, MOST_AHEAD);
        if (block.timestamp + ahead < known.due) revert AheadOfRhythm(known.due - ahead);
        known.due = uint40(Math.max(known.due, block.timestamp) + mandate.interval);
        ++known.count;
        (known.last, known.window) = _mark(known.last, known.window, item.cycle, key);
        _agreements[slot] = known;
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

    function _checkPayees(MandateCharge calldata item, uint256 gross) private view {
        Mandate calldata mandate = item.mandate;
        address[] calldata payees = mandate.payees;
        uint256 fee;
        for (uint256 i; i < item.to.length; ++i) {
            address to = item.to[i];
            if (to == mandate.platform) fee += item.amounts[i];
            else if (!_isAmong(payees, to) && !_isAnnounced(mandate.merchant, to)) revert NotPayee(i, to);
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

    function _structHash(Mandate calldata m) private pure returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    MANDATE_TYPEHASH,
                    m.payer,
                    m.merchant,
                    m.token,
                    m.perCharge,
                    m.charges,
                    m.interval,
                    m.start,
                    m.end,
                    m.issuedAt,
                    m.platform,
                    m.feeBps,
                    keccak256(abi.encodePacked(m.payees)),
                    m.agreement,
                    m.terms
                )
            );
    }

    function _digest(bytes32 structHash) private view returns (bytes32) {
        bytes32 domain = keccak256(abi.encode(DOMAIN_TYPEHASH, NAME_HASH, VERSION_HASH, block.chainid, address(this)));
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }
}
